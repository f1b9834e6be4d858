import { expect, test } from "@jest/globals";
import { Change } from "../changes/change";
import type { Selection } from "../contract/operations";
import { encodeStored, resourceForm } from "../objects/resource-form";
import { StoredEntry } from "../objects/stored-entry";
import { watching } from "../testing/harness";
import { widget, widgets } from "../testing/widgets";
import { WatcherIndex } from "./watcher-index";

const form = resourceForm(widgets);
const entryOf = (color: string, path = "ns/w") =>
  new StoredEntry(form, path, 1, encodeStored(form, widget("w", { spec: { color } })));
const ofColor = (color: string): Selection => ({ fields: [{ field: "spec.color", operator: "=", value: color }] });

function toldOf(index: WatcherIndex<string>, after: StoredEntry | undefined, before?: StoredEntry): string[] {
  const told: string[] = [];
  index.forEachConcerned(new Change(2, after, before, 0), (watcher) => told.push(watcher));
  return told;
}

test("a change is told to those who watch its field's value, of thousands, and to who watches its former one", () => {
  const index = new WatcherIndex<string>();
  for (let n = 0; n < 1600; n += 1) index.add(`of ${n}`, watching({ selection: ofColor(`c${n}`) }), true);
  expect(toldOf(index, entryOf("c7"))).toEqual(["of 7"]);
  expect(toldOf(index, entryOf("c7"), entryOf("c7"))).toEqual(["of 7"]);
  expect(toldOf(index, entryOf("c9"), entryOf("c1599"))).toEqual(["of 9", "of 1599"]);
  expect(toldOf(index, undefined, entryOf("c3"))).toEqual(["of 3"]);
  expect(toldOf(index, entryOf("unwatched"))).toEqual([]);
  index.remove("of 7", watching({ selection: ofColor("c7") }), true);
  expect(toldOf(index, entryOf("c7"))).toEqual([]);
});

test.each<[string, Parameters<typeof watching>[0], boolean]>([
  ["everything", {}, true],
  ["its namespace", { namespace: "ns" }, true],
  ["another namespace", { namespace: "other" }, false],
  [
    "its name",
    { namespace: "ns", selection: { fields: [{ field: "metadata.name", operator: "=", value: "w" }] } },
    true,
  ],
  [
    "another name",
    { namespace: "ns", selection: { fields: [{ field: "metadata.name", operator: "=", value: "v" }] } },
    false,
  ],
  ["all but a value", { selection: { fields: [{ field: "spec.color", operator: "!=", value: "red" }] } }, true],
])("the watchers of %s", (_what, request, told) => {
  const index = new WatcherIndex<string>();
  index.add("one", watching(request), true);
  expect(toldOf(index, entryOf("blue"))).toEqual(told ? ["one"] : []);
});
