import { expect, test } from "@jest/globals";
import { dropDuplicateOwnerReferences } from "./repeated-owners";

const owner = (uid: string, more: object = {}) => ({ apiVersion: "v1", kind: "Pod", name: "p", uid, ...more });

test.each<[string, object[], object[], string[]]>([
  ["none", [], [], []],
  ["different ones", [owner("a"), owner("b")], [owner("a"), owner("b")], []],
  ["the same twice", [owner("a"), owner("b"), owner("a")], [owner("a"), owner("b")], ["a"]],
  ["the same three times", [owner("a"), owner("a"), owner("a")], [owner("a")], ["a"]],
  [
    "those that only share a uid",
    [owner("a"), owner("a", { controller: true })],
    [owner("a"), owner("a", { controller: true })],
    [],
  ],
])("duplicates of owner references: %s", (_what, ownerReferences, left, uids) => {
  const object = { metadata: { ownerReferences } } as never;
  expect(dropDuplicateOwnerReferences(object)).toEqual(uids);
  expect(object).toEqual({ metadata: { ownerReferences: left } });
});
