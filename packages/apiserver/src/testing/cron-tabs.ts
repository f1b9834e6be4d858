// A custom resource that is added while the server runs.
import { NAME_RULES, type ResourceDefinition, type ServedVersion } from "@orch/machinery";
import { dynamicStruct, type JsonObject, type Schema, StructObjectType, type StructType } from "@orch/schema";

export const CRON_TABS = "/apis/stable.example.com/v1/namespaces/default/crontabs";

/** @param more members to override */
export function cronTabs(schema: Schema, more: Partial<ResourceDefinition> = {}): ResourceDefinition {
  const v1 = versionOf(schema, "v1");
  return {
    group: "stable.example.com",
    plural: "crontabs",
    singular: "crontab",
    kind: "CronTab",
    listKind: "CronTabList",
    shortNames: ["ct"],
    categories: ["all"],
    scope: "Namespaced",
    verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    versions: [v1],
    storage: v1,
    strategy: {
      createOnUpdate: false,
      unconditionalUpdate: false,
      nameErrors: NAME_RULES.subdomain,
      prepareForUpdate: (object, old) => take(object, old, "status"),
    },
    subresources: {
      status: { verbs: ["get", "update", "patch"], prepareForUpdate: (object, old) => take(object, old, "spec") },
      scale: {
        verbs: ["get", "update", "patch"],
        prepareForUpdate: () => undefined,
        view: {
          version: scaleVersion(schema),
          read: (parent) => ({
            kind: "Scale",
            apiVersion: "autoscaling/v1",
            metadata: parent["metadata"] as JsonObject,
            spec: { replicas: specOf(parent)["replicas"] ?? 0 },
          }),
          write: (parent, scale) => void Object.assign(specOf(parent), { replicas: specOf(scale)["replicas"] ?? 0 }),
          validate: () => [],
        },
      },
    },
    selectableFields: {},
    strategicMerge: false,
    deleteReturnsObject: false,
    ...more,
  };
}

const specOf = (object: JsonObject) => (object["spec"] ?? {}) as JsonObject;

function take(object: JsonObject, from: JsonObject, member: string): void {
  const value = from[member];
  if (value === undefined) delete object[member];
  else object[member] = value;
}

export function versionOf(schema: Schema, version: string): ServedVersion {
  const group = "stable.example.com";
  return {
    group,
    version,
    kind: "CronTab",
    apiVersion: `${group}/${version}`,
    type: new StructObjectType("CronTab", cronTab(schema, `${group}/${version}`)),
  };
}

function cronTab(schema: Schema, groupVersion: string): StructType {
  const metadata = schema.type("meta/v1", "ObjectMeta");
  if (metadata === undefined) throw new Error("the schema has no ObjectMeta");
  const spec = dynamicStruct({
    name: `${groupVersion}.CronTabSpec`,
    fields: [
      { name: "schedule", type: { kind: "string" } },
      { name: "replicas", type: { kind: "integer", bits: 64, unsigned: false }, default: 1 },
    ],
  });
  const fields = [
    { name: "metadata", type: metadata },
    { name: "spec", type: spec },
    { name: "status", type: { kind: "object" } as const },
  ];
  return dynamicStruct({ name: `${groupVersion}.CronTab`, isRoot: true, fields });
}

function scaleVersion(schema: Schema): ServedVersion {
  const type = schema.objectType("autoscaling", "v1", "Scale");
  if (type === undefined) throw new Error("the schema has no Scale");
  return { group: "autoscaling", version: "v1", kind: "Scale", apiVersion: "autoscaling/v1", type };
}
