import { describe, expect, test } from "@jest/globals";
import type { JsonObject, JsonValue } from "@orch/schema";
import { difference, type FieldSet, intersection, leaves, pathTexts, union, without } from "./field-set";
import { readFieldsV1 } from "./fields-v1";

const set = (text: string): FieldSet => readFieldsV1(JSON.parse(text) as JsonValue) as FieldSet;

const A = set('{"f:m":{".":{},"f:a":{},"f:b":{}},"f:s":{"f:x":{}}}');
const B = set('{"f:m":{"f:b":{},"f:c":{}},"f:s":{}}');

test("a union holds the members of both, and is the first set when that holds all", () => {
  expect(JSON.stringify(union(A, B))).toBe('{"f:m":{".":{},"f:a":{},"f:b":{},"f:c":{}},"f:s":{".":{},"f:x":{}}}');
  expect(union(A, set('{"f:m":{"f:a":{}}}'))).toBe(A);
  expect(union(undefined, A)).toBe(A);
});

test("a difference takes members away one by one", () => {
  expect(JSON.stringify(difference(A, B))).toBe('{"f:m":{".":{},"f:a":{}},"f:s":{"f:x":{}}}');
  expect(JSON.stringify(difference(B, A))).toBe('{"f:m":{"f:c":{}},"f:s":{}}');
  expect(JSON.stringify(difference(A, set('{"f:m":{}}')))).toBe('{"f:m":{"f:a":{},"f:b":{}},"f:s":{"f:x":{}}}');
  expect(difference(A, A)).toBeUndefined();
  expect(difference(A, set('{"f:other":{}}'))).toBe(A);
});

test("taking away with all below", () => {
  expect(JSON.stringify(without(A, set('{"f:m":{}}')))).toBe('{"f:s":{"f:x":{}}}');
  expect(JSON.stringify(without(A, set('{"f:m":{"f:a":{}},"f:s":{}}')))).toBe('{"f:m":{".":{},"f:b":{}}}');
  expect(without(A, set('{"f:m":{"f:z":{}}}'))).toBe(A);
});

test("an intersection holds the members of both sets alone", () => {
  expect(JSON.stringify(intersection(A, B))).toBe('{"f:m":{"f:b":{}}}');
  expect(intersection(A, set('{"f:s":{}}'))).toBeUndefined();
});

test("leaves are the members with nothing below", () => {
  expect(JSON.stringify(leaves(A))).toBe('{"f:m":{"f:a":{},"f:b":{}},"f:s":{"f:x":{}}}');
});

test("paths are spelt as in conflicts, the members of a level first", () => {
  const paths = set(
    '{"f:a":{"f:deep":{}},"f:b":{},"k:{\\"n\\":\\"x\\",\\"p\\":80}":{".":{},"f:image":{}},"v:\\"s\\"":{},"i:3":{}}',
  );
  expect(pathTexts(paths)).toEqual([".b", '[n="x",p=80]', '[="s"]', "[3]", ".a.deep", '[n="x",p=80].image']);
});

describe("FieldsV1", () => {
  test.each<[string]>([
    ['{"f:metadata":{"f:labels":{".":{},"f:a/b":{}}},"f:spec":{"f:replicas":{}}}'],
    ['{"f:l":{"k:{\\"containerPort\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:name":{}}}}'],
    ['{"f:l":{"v:1":{},"v:10":{},"v:\\"a\\"":{},"v:true":{}}}'],
    ['{"f:l":{"k:{\\"name\\":\\"a\\\\u003cb\\\\u0026\\"}":{}}}'],
    ['{"f:z":{},"k:{\\"a\\":1}":{},"k:{\\"a\\":1,\\"b\\":1}":{},"k:{\\"a\\":2}":{},"v:1":{},"i:2":{},"i:10":{}}'],
    ['{"f:\uffff":{},"f:\u{1f600}":{}}'],
  ])("%s goes through byte for byte", (text) => expect(JSON.stringify(set(text))).toBe(text));

  test("is brought into order and canonical form", () => {
    expect(JSON.stringify(set('{"v:1":{},"k:{\\"b\\":1, \\"a\\":2}":{},"f:b":{},"f:a":{"f:x":{},".":{}}}'))).toBe(
      '{"f:a":{".":{},"f:x":{}},"f:b":{},"k:{\\"a\\":2,\\"b\\":1}":{},"v:1":{}}',
    );
  });

  test("elements of unknown kinds are dropped, empty sets are none", () => {
    expect(JSON.stringify(set('{"f:a":{},"q:b":{}}'))).toBe('{"f:a":{}}');
    expect(readFieldsV1({})).toBeUndefined();
    expect(readFieldsV1(undefined)).toBeUndefined();
  });

  test.each<[string]>([["a"], ["ab"], ["fa:"], ["k:{"], ["v:"]])("%s is no element", (element) => {
    expect(() => readFieldsV1({ [element]: {} } as JsonObject)).toThrow(SyntaxError);
  });
});
