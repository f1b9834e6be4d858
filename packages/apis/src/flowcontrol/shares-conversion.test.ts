import { expect, test } from "@jest/globals";
import { type JsonObject, type Schema, vocabularyOf } from "@orch/schema";
import { definitionOf } from "../definitions/definitions";
import { priorityLevelConfigurations } from "./priority-level-configurations";

const noTypes = { objectType: () => undefined } as unknown as Schema;
const versionsAt = (release: string) =>
  definitionOf(priorityLevelConfigurations, vocabularyOf("orch"), noTypes, release)?.versions ?? [];

const level = (name: string): JsonObject => ({ spec: { type: "Limited", limited: { [name]: 30, limitResponse: {} } } });

test("the versions of 1.23 have one shape, which no conversion touches", () => {
  expect(versionsAt("1.23").map(({ version, toStorage, fromStorage }) => [version, toStorage, fromStorage])).toEqual([
    ["v1beta2", undefined, undefined],
    ["v1beta1", undefined, undefined],
  ]);
});

test("a level's shares go by their former name in v1beta2 beside v1beta3", () => {
  const [stored, former] = versionsAt("1.27");
  expect([stored?.version, former?.version]).toEqual(["v1beta3", "v1beta2"]);
  expect(former?.toStorage?.(level("assuredConcurrencyShares"))).toEqual(level("nominalConcurrencyShares"));
  expect(former?.fromStorage?.(level("nominalConcurrencyShares"))).toEqual(level("assuredConcurrencyShares"));
  expect(former?.fromStorage?.({ spec: { type: "Exempt" } })).toEqual({ spec: { type: "Exempt" } });
});

test("0 shares are marked by an annotation in v1beta3 beside v1", () => {
  // v1beta3 is stored, which the release before can read.
  const [newer, stored] = versionsAt("1.29");
  expect([newer?.version, stored?.version]).toEqual(["v1", "v1beta3"]);
  const mark = "flowcontrol.orch.io/v1beta3-preserve-zero-concurrency-shares";
  const none = (annotations: JsonObject): JsonObject => ({
    metadata: { name: "it", annotations },
    spec: { type: "Limited", limited: { nominalConcurrencyShares: 0, limitResponse: {} } },
  });
  expect(newer?.toStorage?.(none({ a: "b" }))).toEqual(none({ a: "b", [mark]: "" }));
  expect(newer?.fromStorage?.(none({ a: "b", [mark]: "" }))).toEqual(none({ a: "b" }));
  const some = { metadata: { name: "it" }, ...level("nominalConcurrencyShares") };
  expect(newer?.toStorage?.(structuredClone(some))).toEqual(some);
});
