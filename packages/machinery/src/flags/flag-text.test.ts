import { expect, test } from "@jest/globals";
import type { FlagTable, FlagValues } from "./flag-table";
import { flagTexts } from "./flag-text";

test.each<[keyof FlagValues, unknown, string]>([
  ["bool", true, "true"],
  ["duration", 90_000, "1m30s"],
  ["duration", 0, "0s"],
  ["float", 0.5, "0.5"],
  ["string", "", ""],
  ["strings", ["a", "b"], "[a,b]"],
  ["stringArray", [], "[]"],
  ["mapStringBool", { b: false, a: true }, "a=true,b=false"],
  [
    "strings",
    ["https://user:secret@etcd:2379", "https://etcd2:2379"],
    "[https://CLASSIFIED@etcd:2379,https://etcd2:2379]",
  ],
  ["string", "http://secret@host/a@b", "http://CLASSIFIED@host/a@b"],
])("a flag of type %s with %j is shown as %s", (type, value, text) => {
  const table: FlagTable = { f: { type, default: "", help: "", section: "" } };
  expect(flagTexts(table, { f: value, unlisted: "x" })).toEqual({ f: text });
  expect(flagTexts(table, { f: value }, { f: "spelled", g: "other" })).toEqual({ spelled: text });
});
