import { expect, test } from "@jest/globals";
import type { JsonValue } from "@orch/schema";
import { jsonDifference } from "./json-difference";
import { applyJsonPatch } from "./json-patch";
import { readJsonPatch } from "./json-patch-operation";

test.each<[string, JsonValue, JsonValue, unknown]>([
  ["nothing", { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
  ["a member that came", { a: 1 }, { a: 1, b: 2 }, [{ op: "add", path: "/b", value: 2 }]],
  ["a member that went", { a: 1, b: 2 }, { a: 1 }, [{ op: "remove", path: "/b" }]],
  ["a member within", { a: { b: 1, c: 2 } }, { a: { b: 3, c: 2 } }, [{ op: "replace", path: "/a/b", value: 3 }]],
  ["an item that came", { a: [1] }, { a: [1, 2] }, [{ op: "add", path: "/a/-", value: 2 }]],
  ["an item within", { a: [{ b: 1 }] }, { a: [{ b: 2 }] }, [{ op: "replace", path: "/a/0/b", value: 2 }]],
  ["a shorter list", { a: [1, 2, 3] }, { a: [3] }, [{ op: "replace", path: "/a", value: [3] }]],
  ["another shape", { a: [1] }, { a: { b: 1 } }, [{ op: "replace", path: "/a", value: { b: 1 } }]],
  ["names with slashes", {}, { "a/b~c": 1 }, [{ op: "add", path: "/a~1b~0c", value: 1 }]],
  ["null and nothing", { a: null }, {}, [{ op: "remove", path: "/a" }]],
])("tells %s", (_what, before, after, operations) => {
  const found = jsonDifference(before, after);
  expect(found).toEqual(operations);
  expect(
    applyJsonPatch(structuredClone(before), readJsonPatch(structuredClone(found)), { copyMaxBytes: 1000 }),
  ).toEqual(after);
});

test("a difference of very many changes is a replacement of the whole", () => {
  const before = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`k${n}`, n]));
  const after = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`k${n}`, -1 - n]));
  expect(jsonDifference(before, after)).toEqual([{ op: "replace", path: "", value: after }]);
});

test("many changes below a long name are a replacement of the whole", () => {
  const named = (from: number) => ({ ["k".repeat(1000)]: Array.from({ length: 900 }, (_, at) => from + at) });
  expect(jsonDifference(named(0), named(1))).toEqual([{ op: "replace", path: "", value: named(1) }]);
});

test("a change below a long name is one operation", () => {
  const name = "k".repeat(100_000);
  expect(jsonDifference({ [name]: 1 }, { [name]: 2 })).toEqual([{ op: "replace", path: `/${name}`, value: 2 }]);
});
