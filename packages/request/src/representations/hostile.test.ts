// The most expensive objects to render for people: each costs about as much per byte as a larger ordinary one.
import { describe, expect, test } from "@jest/globals";
import type { JsonValue } from "@orch/schema";
import { growthOf, LINEAR_MAX } from "@orch/testing";
import { indentedJson } from "./forms/indented-json";

describe("JSON for people", () => {
  const deep = (levels: number, innermost: JsonValue): JsonValue => {
    let value = innermost;
    for (let level = 0; level < levels; level += 1) value = [value];
    return value;
  };

  test("stays in one line where it would be mostly indentation", () => {
    const value = deep(900, Array(100_000).fill(1));
    expect(indentedJson(value)).toBe(JSON.stringify(value));
    expect(indentedJson(deep(2, [1]))).toBe(JSON.stringify(deep(2, [1]), undefined, 2));
  });

  test("costs no more than its share", async () => {
    const make = (size: number) => {
      const value = deep(900, Array(size).fill({ a: 1 }));
      return () => indentedJson(value);
    };
    expect(await growthOf(make, 10_000)).toBeLessThan(LINEAR_MAX);
  });
});
