import { expect, test } from "@jest/globals";
import { yamlLinesOf } from "./yaml-lines";

test("each line of YAML has the field that it shows", () => {
  const value = {
    metadata: { labels: { "a/b": "true" } },
    spec: { list: [{ name: "x", deep: [1, 2] }, "text"], empty: {}, none: null },
    text: "one\ntwo\n",
  };
  expect(yamlLinesOf(value).map(({ text, pointer }) => [text, pointer])).toEqual([
    ["metadata:", "/metadata"],
    ["  labels:", "/metadata/labels"],
    ['    a/b: "true"', "/metadata/labels/a~1b"],
    ["spec:", "/spec"],
    ["  list:", "/spec/list"],
    ["    - name: x", "/spec/list/0"],
    ["      deep:", "/spec/list/0/deep"],
    ["        - 1", "/spec/list/0/deep/0"],
    ["        - 2", "/spec/list/0/deep/1"],
    ["    - text", "/spec/list/1"],
    ["  empty: {}", "/spec/empty"],
    ["  none: null", "/spec/none"],
    ["text: |", "/text"],
    ["  one", "/text"],
    ["  two", "/text"],
  ]);
});
