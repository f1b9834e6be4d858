import { expect, test } from "@jest/globals";
import { splitWords } from "./key-changes";

test.each([
  ["pod web a=1 b-", {}, ["pod", "web"], { a: "1" }, ["b"]],
  ["pod/web a= b=x=y", {}, ["pod/web"], { a: "", b: "x=y" }, []],
  ["a=1", { filename: ["f"] }, [], { a: "1" }, []],
  ["pod web", {}, ["pod", "web"], {}, []],
])("the words %s are split into objects and changes", (words, options, resources, set, remove) => {
  const split = splitWords(words.split(" "), options);
  expect([split.resources, split.changes]).toEqual([resources, { set, remove }]);
});

test.each([
  ["pod web a=1 a-", "can not both modify and remove the same key: a"],
  ["pod web a=1 other", '"other": use KEY=VALUE to set, and KEY- to remove'],
])("the words %s are refused", (words, text) => {
  expect(() => splitWords(words.split(" "), {})).toThrow(text);
});
