import { describe, expect, test } from "@jest/globals";
import { Pauses, versionOf } from "./resume-point";

test.each([
  ["an object", { metadata: { resourceVersion: "7", name: "a" } }, "7"],
  ["a table", { kind: "Table", metadata: { resourceVersion: "8" }, rows: [{}] }, "8"],
  ["an object without a version", { metadata: {} }, undefined],
  ["an empty version", { metadata: { resourceVersion: "" } }, undefined],
  ["a text", "x", undefined],
])("the resume point of %s", (_what, object, version) => expect(versionOf(object)).toBe(version));

describe("pauses between connections", () => {
  test("double to half a minute, and begin anew after a reset", () => {
    const pauses = new Pauses();
    const taken = Array.from({ length: 9 }, () => pauses.take(0.5));
    expect(taken).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    pauses.reset();
    expect(pauses.take(0.5)).toBe(500);
  });

  test("are spread, and not shorter than the server asks for", () => {
    expect(new Pauses().take(0)).toBe(375);
    expect(new Pauses().take(0.999)).toBeGreaterThan(620);
    expect(new Pauses().take(0, 5000)).toBe(5000);
  });
});
