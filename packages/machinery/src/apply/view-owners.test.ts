import { describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { metaOf } from "../objects/object-meta";
import { parentEntries, type ViewedField, viewEntries } from "./view-owners";

/** v1 and v2 have the view at other paths, v3 has none, and all other versions are unknown. */
const field: ViewedField = {
  path: ["spec", "replicas"],
  pathIn: (apiVersion) =>
    ({ v1: ["spec", "size", "count"], v2: ["spec", "replicas"], v3: undefined })[apiVersion] ??
    (apiVersion === "v3" ? undefined : "unknown"),
};
const view = { field, apiVersion: "scales/v1" };

const COUNT = { "f:spec": { "f:size": { "f:count": {} } } };
const REPLICAS = { "f:spec": { "f:replicas": {} } };
const TIME = "2024-01-01T00:00:00Z";

interface Given {
  readonly manager: string;
  readonly apiVersion: string;
  readonly fields: JsonObject;
  readonly operation?: string;
  readonly subresource?: string;
  readonly time?: string;
}

const entry = ({ manager, apiVersion, fields, operation = "Update", subresource, time = TIME }: Given) => ({
  ...{ manager, operation, apiVersion, ...(time !== "" && { time }), fieldsType: "FieldsV1", fieldsV1: fields },
  ...(subresource !== undefined && { subresource }),
});
const object = (...entries: readonly Given[]): JsonObject => ({ metadata: { managedFields: entries.map(entry) } });

describe("the entries of a view", () => {
  test.each<[string, Given, readonly Given[]]>([
    [
      "have its field for an owner of the parent's field",
      { manager: "a", apiVersion: "v1", fields: { "f:spec": { ".": {}, "f:other": {}, "f:size": { "f:count": {} } } } },
      [{ manager: "a", apiVersion: "scales/v1", fields: REPLICAS }],
    ],
    [
      "keep the operation and the subresource",
      { manager: "a", apiVersion: "v2", fields: REPLICAS, operation: "Apply", subresource: "scale" },
      [{ manager: "a", apiVersion: "scales/v1", fields: REPLICAS, operation: "Apply", subresource: "scale" }],
    ],
    ["lack an owner of other fields", { manager: "a", apiVersion: "v1", fields: REPLICAS }, []],
    [
      "lack an owner of a part of the field",
      { manager: "a", apiVersion: "v2", fields: { "f:spec": { "f:replicas": { "f:part": {} } } } },
      [],
    ],
    ["lack an owner in a version without the view", { manager: "a", apiVersion: "v3", fields: REPLICAS }, []],
    ["lack an owner in an unknown version", { manager: "a", apiVersion: "v9", fields: REPLICAS }, []],
  ])("%s", (_what, given, expected) => {
    const entries = viewEntries(object(given), view);
    expect(entries).toEqual(expected.length === 0 ? undefined : expected.map(entry));
  });

  test("cannot be read from entries that are no field sets", () => {
    const broken = object({ manager: "a", apiVersion: "v1", fields: { unknown: {} } });
    expect(() => viewEntries(broken, view)).toThrow("cannot read metadata.managedFields");
  });
});

describe("the entries of the parent", () => {
  const a = { manager: "a", apiVersion: "v1", fields: COUNT };
  const applier = { ...a, operation: "Apply" };
  const viewOf = (given: Given) => ({ ...given, apiVersion: "scales/v1", fields: REPLICAS });

  test.each<[string, readonly Given[], readonly Given[], readonly Given[]]>([
    ["stay for an applier that the view has still", [applier], [viewOf(applier)], [applier]],
    ["lose an owner that the view has no longer", [applier], [], []],
    [
      "keep the other fields of such an owner",
      [{ ...a, fields: { "f:spec": { "f:other": {}, "f:size": { ".": {}, "f:count": {} } } } }],
      [],
      [{ ...a, fields: { "f:spec": { "f:other": {}, "f:size": {} } } }],
    ],
    [
      "have a new applier, without a time, beside an owner that keeps the field",
      [applier],
      [viewOf(applier), { ...viewOf(applier), manager: "b", subresource: "scale" }],
      [{ ...applier, manager: "b", subresource: "scale", time: "" }, applier],
    ],
    [
      "have the field of an updater in an entry of its own",
      [{ ...a, fields: { "f:spec": { "f:other": {}, "f:size": { "f:count": {} } } } }],
      [viewOf(a)],
      [
        { ...a, time: "" },
        { ...a, fields: { "f:spec": { "f:other": {} } } },
      ],
    ],
    [
      "lack an owner of the view that does not own its field",
      [],
      [{ manager: "b", apiVersion: "scales/v1", fields: { "f:status": { "f:replicas": {} } } }],
      [],
    ],
    [
      "lose unknown versions, and keep those of a version without the view",
      [
        { manager: "a", apiVersion: "v9", fields: COUNT },
        { manager: "b", apiVersion: "v3", fields: COUNT },
      ],
      [],
      [{ manager: "b", apiVersion: "v3", fields: COUNT }],
    ],
  ])("%s", (_what, before, changed, after) => {
    const parent = object(...before);
    const entries = parentEntries({ parent, view: object(...changed), parentVersion: "v1" }, field);
    expect(entries).toEqual(after.length === 0 ? undefined : after.map(entry));
    expect(metaOf(parent).managedFields).toEqual(before.map(entry));
  });

  test("are in the version of the request", () => {
    const parent = object(applier);
    const changed = object({ ...viewOf(applier), manager: "b" });
    expect(parentEntries({ parent, view: changed, parentVersion: "v2" }, field)).toEqual([
      entry({ manager: "b", apiVersion: "v2", fields: REPLICAS, operation: "Apply", time: "" }),
    ]);
  });
});
