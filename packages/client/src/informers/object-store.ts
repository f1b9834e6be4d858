// The objects that an informer knows, by key and by index. Objects are shared with every reader: they are not to be changed.
import { nameOf, namespaceOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { type IndexFunction, ObjectIndex } from "./object-index";

/** `namespace/name`, or the name alone for objects without a namespace: what work queues hold. */
export function keyOf(object: object): string {
  const namespace = namespaceOf(object as JsonObject);
  const name = nameOf(object as JsonObject);
  return namespace === "" ? name : `${namespace}/${name}`;
}

/** The parts of a key; the namespace is "" for objects without one. */
export function splitKey(key: string): { readonly namespace: string; readonly name: string } {
  const at = key.indexOf("/");
  return at === -1 ? { namespace: "", name: key } : { namespace: key.slice(0, at), name: key.slice(at + 1) };
}

/** What readers may do. */
export interface ObjectView<T> {
  readonly size: number;
  get(key: string): T | undefined;
  values(): IterableIterator<T>;
  /** @throws Error where there is no such index */
  byIndex(index: string, value: string): T[];
  /** The values that an index holds now. */
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

  /** Takes in what is there already. An index of that name that is there already is kept. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    if (this.indexes.has(name)) return;
    const index = new ObjectIndex(valuesOf);
    for (const [key, object] of this.objects) index.replace(key, undefined, object);
    this.indexes.set(name, index);
  }

  /** @returns what was there before */
  set(key: string, object: T): T | undefined {
    const before = this.objects.get(key);
    this.objects.set(key, object);
    for (const index of this.indexes.values()) index.replace(key, before, object);
    return before;
  }

  /** @returns what was there */
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
