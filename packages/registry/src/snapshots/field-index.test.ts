import { describe, expect, test } from "@jest/globals";
import type { ResourceDefinition } from "@orch/machinery";
import { orderForm } from "@orch/store";
import type { Selection } from "../contract/operations";
import { encodeStored, resourceForm } from "../objects/resource-form";
import { StoredEntry } from "../objects/stored-entry";
import { randomNumbers } from "../testing/random";
import { widget, widgets } from "../testing/widgets";
import { FieldIndex } from "./field-index";
import { OrderedTree } from "./ordered-tree";
import type { EntryTree } from "./snapshots";

const color = widgets.selectableFields["spec.color"] as (typeof widgets.selectableFields)[string];
const indexed: ResourceDefinition = {
  ...widgets,
  selectableFields: { "spec.color": color, "spec.paint": color },
  indexedFields: ["spec.color", "spec.paint"],
};
const form = resourceForm(indexed);

const entryOf = (path: string, revision: number, of: string) =>
  new StoredEntry(form, path, revision, encodeStored(form, widget(path, { spec: { color: of } })));

function indexOf(entries: readonly StoredEntry[]): FieldIndex {
  const keys = entries.map(({ path }) => orderForm(path));
  const index = FieldIndex.of(indexed, keys, entries);
  if (index === undefined) throw new Error("there is no index");
  return index;
}

const where = (field: string, value: string, operator: "=" | "!=" = "="): Selection => ({
  fields: [{ field, operator, value }],
});

const paths = (tree: EntryTree | undefined) => tree?.slice().map((entry) => `${entry.path}@${entry.resourceVersion}`);

describe("a field index", () => {
  test("agrees with a scan, whatever was there before and changes after it is made", () => {
    const next = randomNumbers(7);
    const random = (below: number) => Math.floor(next() * below);
    let revision = 0;
    let tree: EntryTree = OrderedTree.empty();
    let index: FieldIndex | undefined;
    const change = () => {
      revision += 1;
      const path = `ns${random(3)}/w${random(120)}`;
      const previous = tree.get(orderForm(path));
      const entry = random(4) === 0 ? undefined : entryOf(path, revision, `c${random(5)}`);
      if (entry === undefined && previous === undefined) return;
      tree = entry === undefined ? tree.delete(orderForm(path)) : tree.set(orderForm(path), entry);
      index?.apply(entry, previous);
    };
    for (let at = 0; at < 500; at += 1) change();
    index = indexOf(tree.slice());
    for (let at = 0; at < 700; at += 1) change();
    for (const value of ["c0", "c1", "c2", "c3", "c4", "c5", ""]) {
      const scanned = OrderedTree.fromSorted(
        tree.slice().flatMap((entry) => (entry.field("spec.color") === value ? [orderForm(entry.path)] : [])),
        tree.slice().filter((entry) => entry.field("spec.color") === value),
      );
      expect(paths(index.narrowest(where("spec.color", value)))).toEqual(paths(scanned));
      expect(index.narrowest(where("spec.paint", value))).toBe(index.narrowest(where("spec.color", value)));
    }
  });

  test("helps equality terms of its own fields alone", () => {
    const index = indexOf([entryOf("ns/a", 1, "red")]);
    expect(index.narrowest(where("spec.color", "red", "!="))).toBeUndefined();
    expect(index.narrowest(where("metadata.name", "a"))).toBeUndefined();
    expect(index.narrowest({})).toBeUndefined();
    expect(index.narrowest(where("spec.color", "blue"))?.size).toBe(0);
  });

  test("is not there for a resource without indexed fields", () => {
    expect(FieldIndex.of(widgets, [], [])).toBeUndefined();
  });
});
