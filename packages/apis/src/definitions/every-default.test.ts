// Defaults of every kind in every version. The rows are in testdata/defaults.tsv.
import { describe, expect, test } from "@jest/globals";
import { ALL_FEATURES, type BuiltInResource, type BuiltInVersion } from "@orch/apis-model";
import { type JsonObject, loadSchema, type ObjectType, vocabularyOf } from "@orch/schema";
import { factTable } from "../testing/fact-table";
import { DefaultingType } from "./defaulting-type";
import { EVERY_RESOURCE } from "./every-resource";
import { STRUCT_DEFAULTS } from "./struct-defaults";

const vocabulary = vocabularyOf("orch");
const schema = loadSchema(vocabulary);

/** Types keyed by `group id/version Kind`. */
const types = new Map<string, ObjectType>(
  EVERY_RESOURCE.flatMap((resource: BuiltInResource) =>
    resource.versions.flatMap((version: BuiltInVersion): [string, ObjectType][] => {
      const id = `${version.group ?? resource.group}/${version.version}`;
      const { group, version: name } = schema.groupVersions.find((each) => each.id === id) ?? {
        group: "",
        version: "",
      };
      const type = schema.objectType(group, name, resource.kind);
      if (type === undefined) return [];
      const rules = version.defaults ?? resource.defaults;
      return [[`${id} ${resource.kind}`, new DefaultingType(type, rules, { vocabulary, features: ALL_FEATURES })]];
    }),
  ),
);

function defaulted(kind: string, object: JsonObject): JsonObject {
  const type = types.get(kind);
  if (type === undefined) throw new Error(`no ${kind}`);
  const { value, problems } = type.decode(structuredClone(object));
  expect(problems).toEqual([]);
  type.applyDefaults(value);
  return value;
}

/** Kind, behaviour, and JSON of the object as sent and of what it must contain afterwards. */
const CASES = factTable("defaults.tsv").map(
  ({ kind = "", behaviour = "", given = "", expected = "" }) =>
    [kind, behaviour, JSON.parse(given) as JsonObject, JSON.parse(expected) as JsonObject] as const,
);

const template: JsonObject = {
  metadata: { labels: { app: "a" } },
  spec: { containers: [{ name: "c", image: "i:1" }] },
};

test.each(CASES)("%s: %s", (kind, _behaviour, given, expected) =>
  expect(defaulted(kind, given)).toMatchObject(expected),
);

describe("values that defaulting does not change", () => {
  test.each<readonly [kind: string, given: JsonObject, path: string]>([
    ["core/v1 PodTemplate", { template }, "template.spec.enableServiceLinks"],
    ["core/v1 Service", { spec: { sessionAffinityConfig: { clientIP: {} } } }, "spec.sessionAffinityConfig"],
    ["core/v1 Service", { spec: {} }, "spec.externalTrafficPolicy"],
    ["apps/v1 Deployment", { spec: { strategy: { type: "Recreate" } } }, "spec.strategy.rollingUpdate"],
    ["apps/v1 DaemonSet", { spec: { updateStrategy: { type: "OnDelete" } } }, "spec.updateStrategy.rollingUpdate"],
    [
      "apps/v1 StatefulSet",
      { spec: { updateStrategy: { type: "RollingUpdate" } } },
      "spec.updateStrategy.rollingUpdate",
    ],
    ["apps/v1 Deployment", { spec: { template } }, "spec.selector.matchLabels"],
    ["batch/v1 Job", { spec: { parallelism: 2 } }, "spec.completions"],
    ["autoscaling/v2 HorizontalPodAutoscaler", { spec: {} }, "spec.behavior"],
    ["flowcontrol/v1beta2 PriorityLevelConfiguration", { spec: {} }, "spec.limited"],
    [
      "networking/v1 Ingress",
      { spec: { rules: [{ http: { paths: [{ backend: {} }] } }] } },
      "spec.rules.0.http.paths.0.pathType",
    ],
  ])("%s %j: %s", (kind, given, path) => {
    const found = path
      .split(".")
      .reduce<unknown>((at, name) => (at as JsonObject | undefined)?.[name], defaulted(kind, given));
    expect(found ?? undefined).toBeUndefined();
  });
});

test.each([...types.keys()])("%s: an object with few fields is complete after one pass", (kind) => {
  const once = defaulted(kind, {});
  expect(defaulted(kind, once)).toEqual(once);
});

test.each(CASES)("%s: %s, and nothing more the second time", (kind, _behaviour, given) => {
  const once = defaulted(kind, given);
  expect(defaulted(kind, once)).toEqual(once);
});

test("every type with defaults is known to the schema", () => {
  const unknown = Object.keys(STRUCT_DEFAULTS).filter((name) => {
    const dot = name.lastIndexOf(".");
    return schema.type(name.slice(0, dot), name.slice(dot + 1)) === undefined;
  });
  expect(unknown).toEqual([]);
});
