import { expect, test } from "@jest/globals";
import { versionOf } from "./resume-point";

test.each([
  ["an object", { metadata: { resourceVersion: "7", name: "a" } }, "7"],
  ["a table", { kind: "Table", metadata: { resourceVersion: "8" }, rows: [{}] }, "8"],
  ["an object without a version", { metadata: {} }, undefined],
  ["an empty version", { metadata: { resourceVersion: "" } }, undefined],
  ["a text", "x", undefined],
])("the resume point of %s", (_what, object, version) => expect(versionOf(object)).toBe(version));
