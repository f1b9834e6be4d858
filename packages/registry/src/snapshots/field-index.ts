// Index of the objects of one resource by the values of selected fields, for lists that select a few of very many
// objects. Each value has a tree like the resource's own, so paging and namespaces work on it in the same way. Built
// with the cache and updated by every change: finding a value in an object's bytes takes a few microseconds.

import type { ResourceDefinition } from "@orch/machinery";
import { orderForm } from "@orch/store";
import type { Selection } from "../contract/operations";
import type { StoredEntry } from "../objects/stored-entry";
import { OrderedTree } from "./ordered-tree";
import type { EntryTree } from "./snapshots";

const EMPTY: EntryTree = OrderedTree.empty();

/** Trees by value. */
type Trees = Map<string, EntryTree>;

export class FieldIndex {
  /** Trees by label. Labels of the same field share their trees. */
  private readonly byLabel = new Map<string, Trees>();
  /** Trees by one label of each field. */
  private readonly byField = new Map<string, Trees>();

  /**
   * @param keys see OrderedTree.fromSorted
   * @returns undefined for a resource that has no indexed fields
   */
  static of(
    { indexedFields, selectableFields }: ResourceDefinition,
    keys: readonly string[],
    entries: readonly StoredEntry[],
  ): FieldIndex | undefined {
    return indexedFields && new FieldIndex(indexedFields, selectableFields, keys, entries);
  }

  private constructor(
    labels: readonly string[],
    fields: ResourceDefinition["selectableFields"],
    keys: readonly string[],
    entries: readonly StoredEntry[],
  ) {
    const byPath = new Map<string, Trees>();
    for (const label of labels) {
      const field = JSON.stringify(fields[label]?.paths);
      let trees = byPath.get(field);
      if (trees === undefined) {
        trees = treesBy(label, keys, entries);
        byPath.set(field, trees);
        this.byField.set(label, trees);
      }
      this.byLabel.set(label, trees);
    }
  }

  /** Applies one change of the resource: `entry` is undefined for a deletion, `previous` for a new object. */
  apply(entry: StoredEntry | undefined, previous: StoredEntry | undefined): void {
    for (const [label, trees] of this.byField) {
      const after = entry?.indexedField(label);
      // Most changes keep the value. A look into the tree costs less than the value of the former object.
      if (previous !== undefined && (after === undefined || !holds(trees, after, previous))) {
        const before = previous.indexedField(label);
        if (before !== after) remove(trees, before, previous);
      }
      if (entry !== undefined && after !== undefined) put(trees, after, entry);
    }
  }

  /**
   * Returns the smallest indexed part of the resource that holds everything selected; undefined when no term of the
   * selection is indexed.
   */
  narrowest({ fields = [] }: Selection): EntryTree | undefined {
    let narrowest: EntryTree | undefined;
    for (const { field, operator, value } of fields) {
      const trees = operator === "=" ? this.byLabel.get(field) : undefined;
      if (trees === undefined) continue;
      const tree = trees.get(value) ?? EMPTY;
      if (narrowest === undefined || tree.size < narrowest.size) narrowest = tree;
    }
    return narrowest;
  }
}

/** Builds one tree per value. The parts of a sorted sequence are sorted, too. */
function treesBy(label: string, keys: readonly string[], entries: readonly StoredEntry[]): Trees {
  const parts = new Map<string, { readonly keys: string[]; readonly entries: StoredEntry[] }>();
  for (let at = 0; at < entries.length; at += 1) {
    const entry = entries[at] as StoredEntry;
    const value = entry.indexedField(label);
    let part = parts.get(value);
    if (part === undefined) {
      part = { keys: [], entries: [] };
      parts.set(value, part);
    }
    part.keys.push(keys[at] as string);
    part.entries.push(entry);
  }
  const trees: Trees = new Map();
  for (const [value, part] of parts) trees.set(value, OrderedTree.fromSorted(part.keys, part.entries));
  return trees;
}

function holds(trees: Trees, value: string, entry: StoredEntry): boolean {
  return trees.get(value)?.get(orderForm(entry.path)) === entry;
}

function put(trees: Trees, value: string, entry: StoredEntry): void {
  trees.set(value, (trees.get(value) ?? EMPTY).set(orderForm(entry.path), entry));
}

function remove(trees: Trees, value: string, entry: StoredEntry): void {
  const rest = trees.get(value)?.delete(orderForm(entry.path));
  if (rest === undefined) return;
  if (rest.size === 0) trees.delete(value);
  else trees.set(value, rest);
}
