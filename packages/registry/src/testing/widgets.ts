// A resource for tests, with a small rule of every sort that the verbs must respect.

import { field, NAME_RULES, type ResourceDefinition, type ServedVersion } from "@orch/machinery";
import type { JsonObject, ObjectType } from "@orch/schema";

/** Returns a type that accepts every object unchanged and defaults `spec.size`. */
function openType(kind: string): ObjectType {
  return {
    kind,
    struct: {
      kind: "struct",
      name: `test/v1.${kind}`,
      isRoot: true,
      fields: [],
      fieldByName: new Map(),
      relation: "granular",
      isUnion: false,
      keepsUnknownFields: true,
    },
    protobuf: undefined,
    decode: (body) => ({ value: body, problems: [] }),
    applyDefaults: (object) => {
      const spec = object["spec"];
      if (spec !== undefined) (spec as JsonObject)["size"] ??= 1;
    },
  };
}

const v1: ServedVersion = {
  group: "test.example",
  version: "v1",
  kind: "Widget",
  apiVersion: "test.example/v1",
  type: openType("Widget"),
};

/** The field `colour` of v2 is `color` in v1. */
const toV1 = (object: JsonObject): JsonObject => renamed(object, "colour", "color");
const fromV1 = (object: JsonObject): JsonObject => renamed(object, "color", "colour");
const storedV2 = { ...v1, version: "v2", apiVersion: "test.example/v2", toHub: toV1, fromHub: fromV1 };
const v2: ServedVersion = { ...storedV2, toStorage: toV1, fromStorage: fromV1 };

/** A version with the same shape as v1. */
const v1beta1: ServedVersion = { ...v1, version: "v1beta1", apiVersion: "test.example/v1beta1" };

export const widgets: ResourceDefinition = {
  group: "test.example",
  plural: "widgets",
  singular: "widget",
  kind: "Widget",
  listKind: "WidgetList",
  shortNames: [],
  categories: [],
  scope: "Namespaced",
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  versions: [v1, v1beta1, v2],
  storage: v1,
  strategy: {
    createOnUpdate: false,
    unconditionalUpdate: true,
    nameErrors: NAME_RULES.subdomain,
    prepareForCreate: (object) => {
      delete object["status"];
      (object["metadata"] as JsonObject)["generation"] = 1;
    },
    prepareForUpdate: (object, old) => {
      take(object, old, "status");
      const changed = JSON.stringify(object["spec"]) !== JSON.stringify(old["spec"]);
      const meta = object["metadata"] as JsonObject;
      if (changed) meta["generation"] = Number(meta["generation"]) + 1;
    },
    validate: (object) =>
      specOf(object)["color"] === "forbidden" ? [field.invalid("spec.color", "forbidden", "must be another")] : [],
    validateUpdate: (next, old) =>
      specOf(old)["fixed"] !== undefined && specOf(old)["fixed"] !== specOf(next)["fixed"]
        ? [field.immutable("spec.fixed", null)]
        : [],
  },
  subresources: {
    status: {
      verbs: ["get", "update", "patch"],
      prepareForUpdate: (object, old) => take(object, old, "spec"),
    },
  },
  selectableFields: { "spec.color": { paths: [["spec", "color"]], type: "string" } },
  deleteReturnsObject: false,
};

/** Stored in v2, although its validation rules use v1. */
export const widgetsInV2: ResourceDefinition = {
  ...widgets,
  versions: [{ ...v1, toStorage: fromV1, fromStorage: toV1 }, storedV2],
  storage: storedV2,
};

const gadgetVersion: ServedVersion = { ...v1, kind: "Gadget", apiVersion: "v1", group: "", type: openType("Gadget") };

/** Cluster-scoped, in the core group, and created by PUT; an update must name a resource version. */
export const gadgets: ResourceDefinition = {
  ...widgets,
  group: "",
  plural: "gadgets",
  singular: "gadget",
  kind: "Gadget",
  listKind: "GadgetList",
  scope: "Cluster",
  versions: [gadgetVersion],
  storage: gadgetVersion,
  strategy: { createOnUpdate: true, unconditionalUpdate: false, nameErrors: NAME_RULES.pathSegment },
  subresources: {},
  selectableFields: {},
};

export function widget(name: string, more: { labels?: Record<string, string>; spec?: JsonObject } = {}): JsonObject {
  return {
    kind: "Widget",
    apiVersion: v1.apiVersion,
    metadata: { name, ...(more.labels === undefined ? {} : { labels: more.labels }) },
    spec: more.spec ?? { color: "red" },
  };
}

function specOf(object: JsonObject): JsonObject {
  return (object["spec"] ?? {}) as JsonObject;
}

function take(object: JsonObject, from: JsonObject, member: string): void {
  const value = from[member];
  if (value === undefined) delete object[member];
  else object[member] = value;
}

function renamed(object: JsonObject, from: string, to: string): JsonObject {
  const { [from]: value, ...spec } = specOf(object);
  return { ...object, spec: value === undefined ? spec : { ...spec, [to]: value } };
}
