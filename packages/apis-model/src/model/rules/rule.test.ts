// Composition of rules. every-rule.test.ts tests the rules of each kind.
import { describe, expect, test } from "@jest/globals";
import { field } from "@orch/machinery";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { nonNegative, oneOf } from "../../formats/format-rules";
import {
  absentAs,
  all,
  each,
  eachEntry,
  exactlyOne,
  fields,
  ifSet,
  type Rule,
  required,
  unique,
  validator,
} from "./rule";
import { changes, immutable, immutableOnceSet, updateValidator } from "./update-rule";

interface Box {
  readonly name?: string;
  readonly size?: number;
  readonly words?: readonly string[];
  readonly lids?: readonly { readonly name?: string; readonly size?: number }[];
  readonly marks?: { readonly [key: string]: string };
  readonly inner?: Box;
}

const context = { vocabulary: vocabularyOf("orch"), version: { group: "", version: "v1" } };
const found = (rule: Rule<Box>, box: Box) =>
  validator(rule)(box as unknown as JsonObject, context).map(field.fieldErrorText);

test("a path is spelled from the object down to the value that is wrong", () => {
  const rule = fields<Box>({
    inner: fields<Box>({
      lids: each(fields<{ size?: number }>({ size: nonNegative })),
      marks: eachEntry((_key, value, at, report) => oneOf("x")(value, at, report)),
    }),
  });
  expect(found(rule, { inner: { lids: [{ size: 1 }, { size: -1 }], marks: { "a.b/c": "y" } } })).toEqual([
    "inner.lids[1].size: Invalid value: -1: must be greater than or equal to 0",
    'inner.marks[a.b/c]: Unsupported value: "y": supported values: "x"',
  ]);
});

describe("an absent field", () => {
  test.each<[string, Box]>([
    ["left out", {}],
    ["an empty text", { name: "" }],
  ])("is one that is %s", (_, box) => {
    expect(found(fields<Box>({ name: ifSet(oneOf("x")) }), box)).toEqual([]);
    expect(found(fields<Box>({ name: required(oneOf("x"), "give one") }), box)).toEqual([
      "name: Required value: give one",
    ]);
  });

  test("is no empty text where one of few is due, nor is an item of a list", () => {
    const wrong = 'Unsupported value: "": supported values: "x"';
    expect(found(fields<Box>({ name: oneOf("x") }), {})).toEqual([]);
    expect(found(fields<Box>({ name: oneOf("x") }), { name: "" })).toEqual([`name: ${wrong}`]);
    expect(found(fields<Box>({ words: each(oneOf("x")) }), { words: ["x", ""] })).toEqual([`words[1]: ${wrong}`]);
    expect(found(fields<Box>({ words: each(required(oneOf("x"))) }), { words: [""] })).toEqual([
      "words[0]: Required value",
    ]);
  });

  test("may count as a value of its own", () => {
    const positive: Rule<number> = (value, at, report) => value > 0 || report.invalid(at, value, "too small");
    expect(found(fields<Box>({ size: positive }), {})).toEqual([]);
    expect(found(fields<Box>({ size: absentAs(0, positive) }), {})).toEqual(["size: Invalid value: 0: too small"]);
  });

  test("is an empty list where a list is required", () => {
    const rule = fields<Box>({ lids: required(each(() => undefined)) });
    expect(found(rule, { lids: [] })).toEqual(["lids: Required value"]);
    expect(found(rule, { lids: [{}] })).toEqual([]);
  });

  test("concerns each of several rules", () => {
    expect(found(fields<Box>({ name: all(required(), required(undefined, "too")) }), {})).toHaveLength(2);
  });
});

test("items without a key are never the same", () => {
  const rule = fields<Box>({ lids: unique(({ name }) => name, { field: "name" }) });
  expect(found(rule, { lids: [{}, {}, { name: "a" }] })).toEqual([]);
  expect(found(rule, { lids: [{ name: "a" }, { name: "b" }, { name: "a" }] })).toEqual([
    'lids[2].name: Duplicate value: "a"',
  ]);
});

test("exactly one of several exclusive fields is required", () => {
  const rule = exactlyOne<Box>(["lids", "marks"], { none: "need one", several: "only one" });
  expect(found(rule, {})).toEqual([": Required value: need one"]);
  expect(found(rule, { lids: [] })).toEqual([]);
  expect(found(rule, { lids: [], marks: {} })).toEqual(["marks: Forbidden: only one"]);
});

test("a field that may not change says so, unless what changed means nothing", () => {
  const rule = updateValidator<Box>(changes<Box>({ name: immutable, size: immutableOnceSet }));
  const errors = (next: Box, old: Box) =>
    rule(next as unknown as JsonObject, old as unknown as JsonObject, context).map(({ path }) => path);
  expect(errors({ name: "" }, {})).toEqual([]);
  expect(errors({ name: "a", size: 1 }, {})).toEqual(["name"]);
  expect(errors({ size: 2 }, { size: 1 })).toEqual(["size"]);
});
