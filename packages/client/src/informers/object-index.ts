// Indexes of a store.
import { metaOf, namespaceOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

/** Returns the index values of an object. Must depend only on the object. */
export type IndexFunction<T> = (object: T) => readonly string[];

export const byNamespace = <T extends object>(object: T): readonly string[] => [namespaceOf(object as JsonObject)];

/** Returns the uids of an object's owners. */
export function byOwnerUid<T extends object>(object: T): readonly string[] {
  const { ownerReferences } = metaOf(object as JsonObject);
  return ownerReferences === undefined ? [] : ownerReferences.map(({ uid }) => uid ?? "");
}

/** An index: value to keys of the store. */
export class ObjectIndex<T> {
  private readonly keys = new Map<string, Set<string>>();

  constructor(private readonly valuesOf: IndexFunction<T>) {}

  find(value: string): ReadonlySet<string> {
    return this.keys.get(value) ?? NONE;
  }

  values(): Iterable<string> {
    return this.keys.keys();
  }

  replace(key: string, before: T | undefined, after: T | undefined): void {
    if (before !== undefined) for (const value of this.valuesOf(before)) this.remove(value, key);
    if (after !== undefined) for (const value of this.valuesOf(after)) this.add(value, key);
  }

  private add(value: string, key: string): void {
    const known = this.keys.get(value);
    if (known === undefined) this.keys.set(value, new Set([key]));
    else known.add(key);
  }

  private remove(value: string, key: string): void {
    const known = this.keys.get(value);
    known?.delete(key);
    if (known?.size === 0) this.keys.delete(value);
  }
}

const NONE: ReadonlySet<string> = new Set();
