// The objects of one resource by the values of a few of their fields, for lists that want a handful out of very many. For each
// value a tree like the resource's own, so that paging and namespaces work on it as they do on the whole.
//
// Made when first asked for, from a kept tree and in slices, while changes go on:
//   slice   adds an entry only if it is still the newest of its object
//   change  takes the former entry out, if it is there already, and puts the new one in

import type { ResourceDefinition } from "@orch/machinery";
import { orderKey } from "./key-layout";
import { OrderedTree } from "./ordered-tree";
import type { Selection } from "./registry";
import type { EntryTree } from "./snapshots";
import type { StoredEntry } from "./stored-entry";

/** Entries that are read between two pauses: about a millisecond of parsing. */
const SLICE_ENTRIES = 50;

const EMPTY: EntryTree = OrderedTree.empty();

/** By value. */
type Trees = Map<string, EntryTree>;

export class FieldIndex {
  /** By label; labels that read the same field share their trees. */
  readonly #byLabel = new Map<string, Trees>();
  /** One label of each field. */
  readonly #labels: readonly string[];

  constructor({ indexedFields = [], selectableFields }: ResourceDefinition) {
    const byReader = new Map<unknown, Trees>();
    const labels: string[] = [];
    for (const label of indexedFields) {
      const reader = selectableFields[label];
      const trees = byReader.get(reader) ?? new Map<string, EntryTree>();
      if (!byReader.has(reader)) labels.push(label);
      byReader.set(reader, trees);
      this.#byLabel.set(label, trees);
    }
    this.#labels = labels;
  }

  /**
   * Takes in the objects that are there already.
   * @param isNewest whether no change has come over an entry since
   * @param pause lets others run between two slices
   */
  async fill(tree: EntryTree, isNewest: (entry: StoredEntry) => boolean, pause: () => Promise<void>): Promise<void> {
    for (let at = 0; at < tree.size; at += SLICE_ENTRIES) {
      for (const entry of tree.slice(at, at + SLICE_ENTRIES)) if (isNewest(entry)) this.apply(entry, undefined);
      await pause();
    }
  }

  /** One change of the resource: `entry` is undefined for a deletion, `previous` for a new object. */
  apply(entry: StoredEntry | undefined, previous: StoredEntry | undefined): void {
    for (const label of this.#labels) {
      const trees = this.#byLabel.get(label) as Trees;
      const before = previous?.field(label);
      if (previous !== undefined && before !== entry?.field(label)) remove(trees, before as string, previous);
      if (entry !== undefined) put(trees, entry.field(label), entry);
    }
  }

  /** The smallest part of the resource that holds everything selected; undefined where no term of the selection is indexed. */
  narrowest({ fields = [] }: Selection): EntryTree | undefined {
    let narrowest: EntryTree | undefined;
    for (const { field, operator, value } of fields) {
      const trees = operator === "=" ? this.#byLabel.get(field) : undefined;
      if (trees === undefined) continue;
      const tree = trees.get(value) ?? EMPTY;
      if (narrowest === undefined || tree.size < narrowest.size) narrowest = tree;
    }
    return narrowest;
  }
}

function put(trees: Trees, value: string, entry: StoredEntry): void {
  trees.set(value, (trees.get(value) ?? EMPTY).set(orderKey(entry.path), entry));
}

function remove(trees: Trees, value: string, entry: StoredEntry): void {
  const rest = trees.get(value)?.delete(orderKey(entry.path));
  if (rest === undefined) return;
  if (rest.size === 0) trees.delete(value);
  else trees.set(value, rest);
}
