// Volume attributes classes of claims and volumes, release by release.
import { describe, expect, test } from "@jest/globals";
import { type FieldError, field, type ResourceDefinition } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { definitionsAt } from "../testing/row";

const definitionAt = (release: string, kind: string): ResourceDefinition => {
  const found = definitionsAt(release).find((each) => each.kind === kind);
  if (found === undefined) throw new Error(`${release} serves no ${kind}`);
  return found;
};

const base = { accessModes: ["ReadWriteOnce"], volumeMode: "Filesystem" };
const claim = (spec: JsonObject, status: JsonObject = { phase: "Bound" }): JsonObject => ({
  metadata: { name: "c", namespace: "ns" },
  spec: { ...base, resources: { requests: { storage: "1Gi" } }, ...spec },
  status,
});
const csi = { driver: "csi.example.com", volumeHandle: "h" };
const volume = (spec: JsonObject): JsonObject => ({
  metadata: { name: "v" },
  spec: { ...base, capacity: { storage: "1Gi" }, persistentVolumeReclaimPolicy: "Retain", ...spec },
});
const named = (name: string): JsonObject => ({ volumeAttributesClassName: name });
const found = (errors: readonly FieldError[] | undefined) =>
  (errors ?? []).map((error) => `${error.path} ${field.fieldErrorReason(error)}`);
const through = { group: "", version: "v1" };
const NAME = "spec.volumeAttributesClassName";

describe("a new object", () => {
  test.each<[string, string, JsonObject, readonly string[]]>([
    ["1.36", "PersistentVolumeClaim", claim(named("gold")), []],
    ["1.36", "PersistentVolumeClaim", claim(named("")), []],
    ["1.36", "PersistentVolumeClaim", claim(named("Gold")), [`${NAME} FieldValueInvalid`]],
    ["1.23", "PersistentVolumeClaim", claim(named("Gold")), []],
    ["1.36", "PersistentVolume", volume({ csi, ...named("gold") }), []],
    ["1.36", "PersistentVolume", volume({ csi, ...named("") }), [`${NAME} FieldValueRequired`]],
    ["1.36", "PersistentVolume", volume({ csi, ...named("Gold") }), [`${NAME} FieldValueInvalid`]],
    [
      "1.36",
      "PersistentVolume",
      volume({ hostPath: { path: "/x" }, ...named("gold") }),
      ["spec.csi FieldValueRequired"],
    ],
    ["1.23", "PersistentVolume", volume({ hostPath: { path: "/x" }, ...named("gold") }), []],
  ])("in %s: %s %j", (release, kind, object, expected) => {
    expect(found(definitionAt(release, kind).strategy.validate?.(object, through))).toEqual(expected);
  });
});

const current = { phase: "Bound", currentVolumeAttributesClassName: "gold" };

describe("an update", () => {
  test.each<[string, string, JsonObject, JsonObject, readonly string[]]>([
    ["1.36", "PersistentVolumeClaim", claim(named("gold")), claim(named("silver")), []],
    ["1.36", "PersistentVolumeClaim", claim({}), claim(named("silver")), []],
    ["1.36", "PersistentVolumeClaim", claim(named("gold")), claim({}), []],
    [
      "1.36",
      "PersistentVolumeClaim",
      claim(named("gold"), { phase: "Pending" }),
      claim(named("silver")),
      ["spec FieldValueForbidden"],
    ],
    ["1.36", "PersistentVolumeClaim", claim(named("gold"), current), claim({}), [`${NAME} FieldValueForbidden`]],
    ["1.36", "PersistentVolumeClaim", claim(named("gold"), current), claim(named("")), [`${NAME} FieldValueForbidden`]],
    ["1.36", "PersistentVolumeClaim", claim(named("gold"), current), claim(named("silver"), current), []],
    [
      "1.31",
      "PersistentVolumeClaim",
      claim(named("gold")),
      claim(named("silver")),
      ["spec FieldValueForbidden", `${NAME} FieldValueForbidden`],
    ],
    ["1.23", "PersistentVolumeClaim", claim(named("gold")), claim(named("silver")), ["spec FieldValueForbidden"]],
    ["1.36", "PersistentVolume", volume({ csi, ...named("gold") }), volume({ csi, ...named("silver") }), []],
    ["1.36", "PersistentVolume", volume({ csi }), volume({ csi, ...named("silver") }), []],
    ["1.36", "PersistentVolume", volume({ csi, ...named("gold") }), volume({ csi }), [`${NAME} FieldValueForbidden`]],
    ["1.31", "PersistentVolume", volume({ csi }), volume({ csi, ...named("g") }), [`${NAME} FieldValueForbidden`]],
  ])("in %s: %s %j to %j", (release, kind, old, next, expected) => {
    expect(found(definitionAt(release, kind).strategy.validateUpdate?.(next, old, through))).toEqual(expected);
  });
});

test.each([
  ["1.23", true],
  ["1.30", false],
  ["1.34", true],
])("%s stores the class of a new claim: %s", (release, isStored) => {
  const object = claim(named("gold"));
  definitionAt(release, "PersistentVolumeClaim").strategy.prepareForCreate?.(object);
  expect("volumeAttributesClassName" in (object["spec"] as JsonObject)).toBe(isStored);
});

test.each([
  ["1.31", 0],
  ["1.34", 1],
])("%s shows %i columns of the class", (release, count) => {
  for (const kind of ["PersistentVolume", "PersistentVolumeClaim"]) {
    const columns = definitionAt(release, kind).columns ?? [];
    const own = columns.filter(({ name }) => name === "VolumeAttributesClass");
    expect(own).toHaveLength(count);
    expect(own.map(({ cell }) => cell({ spec: named("gold") }, { nowMs: 0 }))).toEqual(count === 0 ? [] : ["gold"]);
  }
});
