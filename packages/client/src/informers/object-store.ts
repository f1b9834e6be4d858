// Objects of an informer, by key and by index. They are shared by all readers and must not be changed.
import { nameOf, namespaceOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { type IndexFunction, ObjectIndex } from "./object-index";

/**
 * Returns the key of an object: `namespace/name`, or the name alone without a namespace. Work queues hold such keys.
 */
export function keyOf(object: object): string {
  const namespace = namespaceOf(object as JsonObject);
  const name = nameOf(object as JsonObject);
  return namespace === "" ? name : `${namespace}/${name}`;
}

/** Splits a key. The namespace is "" for objects without one. */
export function splitKey(key: string): { readonly namespace: string; readonly name: string } {
  const at = key.indexOf("/");
  return at === -1 ? { namespace: "", name: key } : { namespace: key.slice(0, at), name: key.slice(at + 1) };
}

/** Read access to the store. */
export interface ObjectView<T> {
  readonly size: number;
  get(key: string): T | undefined;
  values(): IterableIterator<T>;
  /** Returns the objects with an index value. @throws Error for an unknown index */
  byIndex(index: string, value: string): T[];
  /** Returns the current values of an index. */
  indexValues(index: string): string[];
}

export class ObjectStore<T extends object> implements ObjectView<T> {
  private readonly objects = new Map<string, T>();
  private readonly indexes = new Map<string, ObjectIndex<T>>();

  constructor(indexes: Readonly<Record<string, IndexFunction<T>>> = {}) {
    for (const [name, valuesOf] of Object.entries(indexes)) this.addIndex(name, valuesOf);
  }

  get size(): number {
    return this.objects.size;
  }

  get(key: string): T | undefined {
    return this.objects.get(key);
  }

  values(): IterableIterator<T> {
    return this.objects.values();
  }

  keys(): IterableIterator<string> {
    return this.objects.keys();
  }

  byIndex(index: string, value: string): T[] {
    const found: T[] = [];
    for (const key of this.index(index).find(value)) found.push(this.objects.get(key) as T);
    return found;
  }

  indexValues(index: string): string[] {
    return [...this.index(index).values()];
  }

  /** Adds an index over existing objects. An existing index of the same name is kept. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    if (this.indexes.has(name)) return;
    const index = new ObjectIndex(valuesOf);
    for (const [key, object] of this.objects) index.replace(key, undefined, object);
    this.indexes.set(name, index);
  }

  /** Stores an object. @returns the previous one */
  set(key: string, object: T): T | undefined {
    const before = this.objects.get(key);
    this.objects.set(key, object);
    for (const index of this.indexes.values()) index.replace(key, before, object);
    return before;
  }

  /** Deletes an object. @returns the previous one */
  delete(key: string): T | undefined {
    const before = this.objects.get(key);
    if (before === undefined) return undefined;
    this.objects.delete(key);
    for (const index of this.indexes.values()) index.replace(key, before, undefined);
    return before;
  }

  private index(name: string): ObjectIndex<T> {
    const index = this.indexes.get(name);
    if (index === undefined) throw new Error(`the informer has no index ${JSON.stringify(name)}`);
    return index;
  }
}
