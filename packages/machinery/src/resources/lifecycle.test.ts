import { expect, test } from "@jest/globals";
import { compareReleases, compareVersionPriority, deprecationWarning, isDeprecated, isServed } from "./lifecycle";

test("releases are compared by their numbers", () => {
  const sorted = ["1.9", "1.10", "1.16", "1.16.1", "1.22", "2.0"];
  expect([...sorted].reverse().sort(compareReleases)).toEqual(sorted);
  expect(compareReleases("1.9", "1.9.0")).toBe(0);
  expect(compareReleases("v1.9", "1.9")).toBe(0);
});

test.each([
  ["1.15", false, false],
  ["1.16", true, false],
  ["1.19", true, true],
  ["1.21", true, true],
  ["1.22", false, true],
])("at %s a version is served: %j, deprecated: %j", (release, served, deprecated) => {
  const life = { introduced: "1.16", deprecated: "1.19", removed: "1.22" };
  expect(isServed(life, release)).toBe(served);
  expect(isDeprecated(life, release)).toBe(deprecated);
});

test("a version without a known life is always served", () => {
  expect([isServed(undefined, "1.0"), isServed({}, "9.9"), isDeprecated(undefined, "9.9")]).toEqual([
    true,
    true,
    false,
  ]);
});

test.each([
  [{ deprecated: "1.19" }, "g/v1beta1 K is deprecated in v1.19+"],
  [{ deprecated: "1.19", removed: "1.22" }, "g/v1beta1 K is deprecated in v1.19+, unavailable in v1.22+"],
  [
    { deprecated: "1.19", removed: "1.22", replacement: "g/v1 K" },
    "g/v1beta1 K is deprecated in v1.19+, unavailable in v1.22+; use g/v1 K",
  ],
  [{ deprecated: "1.21" }, undefined],
])("a client of a version with the life %j is warned: %j", (lifecycle, text) => {
  expect(deprecationWarning({ apiVersion: "g/v1beta1", kind: "K", lifecycle }, "1.20")).toBe(text);
});

test("the preferred version comes first", () => {
  const sorted = [
    "v10",
    "v2",
    "v1",
    "v11beta2",
    "v10beta3",
    "v3beta1",
    "v12alpha1",
    "v11alpha2",
    "foo1",
    "foo10",
    "v0",
    "v1beta",
  ];
  expect([...sorted].reverse().sort(compareVersionPriority)).toEqual(sorted);
});
