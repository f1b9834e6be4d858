// Declared rules of proto/: each kind that declares rules has them in force, all versions of a kind declare the same, and
// each kind of rule accepts and rejects.
import { describe, expect, test } from "@jest/globals";
import { type BuiltInResource, DeclaredChecks, FIELD_GATES, featuresOf, Place, Report } from "@orch/apis-model";
import { field } from "@orch/machinery";
import {
  type DeclaredField,
  type DeclaredRule,
  declaredFields,
  declaredTypes,
  type JsonObject,
  vocabularyOf,
} from "@orch/schema";
import { EVERY_RESOURCE } from "./every-resource";

const resources: readonly BuiltInResource[] = EVERY_RESOURCE;

const versionsOf = ({ group, versions }: BuiltInResource) =>
  versions.map((version) => ({ ...version, file: `${version.group ?? group}/${version.version}` }));

const hubOf = (resource: BuiltInResource) => versionsOf(resource).find(({ conversion }) => conversion === undefined);

const declares = (resource: BuiltInResource): boolean =>
  declaredFields(hubOf(resource)?.file ?? "", resource.kind) !== undefined;

test("every kind that declares rules has them in force", () => {
  const isInForce = ({ rules }: BuiltInResource) => rules.declared !== undefined;
  expect(resources.filter((each) => declares(each) !== isInForce(each)).map(({ kind }) => kind)).toEqual([]);
});

const inForce = resources.filter(({ rules }) => rules.declared !== undefined);

/** Returns the rules of a type and of the types below it. The files of types are left out. */
function treeOf(type: string, seen: readonly string[] = []): unknown {
  if (seen.includes(type)) return type.slice(type.lastIndexOf("."));
  const dot = type.lastIndexOf(".");
  return declaredFields(type.slice(0, dot), type.slice(dot + 1))
    ?.map(({ since: _, type: inner, ...rest }) => ({
      ...rest,
      ...(inner === undefined ? {} : { type: treeOf(inner, [...seen, type]) }),
    }))
    .sort((one, other) => one.name.localeCompare(other.name));
}

test.each(inForce.map((each) => [each.kind, each] as const))("all versions of %s declare the same rules", (_, each) => {
  const hub = hubOf(each);
  for (const { file, conversion } of versionsOf(each)) {
    if (conversion !== undefined) continue;
    expect({ file, rules: treeOf(`${file}.${each.kind}`) }).toEqual({
      file,
      rules: treeOf(`${hub?.file}.${each.kind}`),
    });
  }
});

function everyField(): readonly DeclaredField[] {
  return declaredTypes().flatMap(([file, types]) => types.flatMap((type) => declaredFields(file, type) ?? []));
}

const gatesOf = (rule: DeclaredRule): readonly string[] => (rule.is === "gate" ? [rule.gate, ...gatesOf(rule.of)] : []);

test("declared rules name known feature gates", () => {
  const gates = everyField().flatMap(({ rules = [] }) => rules.flatMap(gatesOf));
  expect(gates.length).toBeGreaterThan(0);
  expect([...new Set(gates)].filter((gate) => !Object.hasOwn(FIELD_GATES, gate)).sort()).toEqual([]);
});

const vocabulary = vocabularyOf("orch");

function errorsOf(type: string, release: string, object: JsonObject, old?: JsonObject): readonly string[] {
  const features = featuresOf(release, { WorkloadAwarePreemption: true });
  const report = new Report({ vocabulary, version: { group: "", version: "v1" }, features });
  new DeclaredChecks(features).of(type)?.(object, old, Place.ROOT, report);
  return report.errors.map(field.fieldErrorText);
}

const GROUP = "scheduling/v1alpha2.PodGroup";
const TEMPLATES = "scheduling/v1beta1.Workload";
const template = (name: string): JsonObject => ({ name, schedulingPolicy: { basic: {} } });
const group = (spec: JsonObject): JsonObject => ({ spec: { schedulingPolicy: { basic: {} }, ...spec } });

describe("a declared rule", () => {
  test.each<[string, string, JsonObject, JsonObject | undefined, string[]]>([
    [
      "required",
      GROUP,
      group({ resourceClaims: [{ resourceClaimName: "a" }] }),
      undefined,
      ["spec.resourceClaims[0].name: Required value"],
    ],
    [
      "union without a member",
      GROUP,
      { spec: {} },
      undefined,
      ['spec.schedulingPolicy: Invalid value: "": must specify exactly one of: `basic`, `gang`'],
    ],
    ["union that is unchanged", GROUP, { spec: {}, status: {} }, { spec: {} }, []],
    [
      "minimum",
      GROUP,
      { spec: { schedulingPolicy: { gang: { minCount: -1 } } } },
      undefined,
      ["spec.schedulingPolicy.gang.minCount: Invalid value: -1: must be greater than or equal to 1"],
    ],
    [
      "maximum",
      GROUP,
      group({ priority: 1000000001 }),
      undefined,
      ["spec.priority: Invalid value: 1000000001: must be less than or equal to 1000000000"],
    ],
    [
      "maximum of an unchanged value",
      GROUP,
      group({ priority: 1000000001, resourceClaims: [] }),
      group({ priority: 1000000001 }),
      [],
    ],
    [
      "enum",
      GROUP,
      group({ disruptionMode: "Else" }),
      undefined,
      ['spec.disruptionMode: Unsupported value: "Else": supported values: "Pod", "PodGroup"'],
    ],
    [
      "immutable",
      GROUP,
      group({ priorityClassName: "b" }),
      group({ priorityClassName: "a" }),
      ['spec.priorityClassName: Invalid value: "b": field is immutable'],
    ],
    [
      "forbidden by a gate",
      GROUP,
      group({ schedulingConstraints: { topology: [] } }),
      undefined,
      ["spec.schedulingConstraints: Forbidden"],
    ],
    [
      "maxItems",
      TEMPLATES,
      { spec: { podGroupTemplates: [..."abcdefghi"].map(template) } },
      undefined,
      ["spec.podGroupTemplates: Too many: 9: must have at most 8 items"],
    ],
    [
      "unique",
      TEMPLATES,
      { spec: { podGroupTemplates: [template("a"), template("a")] } },
      undefined,
      ['spec.podGroupTemplates[1]: Duplicate value: "a"'],
    ],
    [
      "update=NoAddItem",
      TEMPLATES,
      { spec: { podGroupTemplates: [template("a"), template("b")] } },
      { spec: { podGroupTemplates: [template("a")] } },
      ["spec.podGroupTemplates"],
    ],
    [
      "update=NoRemoveItem",
      TEMPLATES,
      { spec: { podGroupTemplates: [template("a")] } },
      { spec: { podGroupTemplates: [template("a"), template("b")] } },
      ["spec.podGroupTemplates"],
    ],
    [
      "format",
      TEMPLATES,
      { spec: { podGroupTemplates: [template("A")] } },
      undefined,
      ["spec.podGroupTemplates[0].name"],
    ],
    [
      "maxBytes",
      "core/v1.PersistentVolumeClaim",
      { status: { healthStatus: { healthConditions: [{ status: "Degraded", reason: "ä".repeat(129) }] } } },
      undefined,
      ["status.healthStatus.healthConditions[0].reason: Too long: must have at most 256 bytes"],
    ],
    [
      "maxBytes of an unchanged condition",
      "core/v1.Pod",
      { status: { volumeHealth: [{ name: "v", healthConditions: [{ reason: "a".repeat(257) }] }], phase: "Running" } },
      { status: { volumeHealth: [{ name: "v", healthConditions: [{ reason: "a".repeat(257) }] }] } },
      [],
    ],
    [
      "forbidden while a gate is off",
      "core/v1.Node",
      { spec: { podPreemptionPolicy: { disableResizePreemption: [] } } },
      undefined,
      ["spec.podPreemptionPolicy: Forbidden"],
    ],
    [
      "dependentForbidden",
      "core/v1.PodTemplate",
      { template: { spec: { evictionResponders: [{ name: "a.b/c", priority: 1 }], schedulingGroup: {} } } },
      undefined,
      ["template.spec.schedulingGroup: Forbidden: may not be set when `evictionResponders` is set"],
    ],
    [
      "item of the same key",
      TEMPLATES,
      { spec: { podGroupTemplates: [template("b"), template("A")] } },
      { spec: { podGroupTemplates: [template("A"), template("b")] } },
      [],
    ],
  ])("%s reports what is wrong", (_, type, object, old, expected) => {
    const release = type === GROUP ? "1.36" : "1.37";
    const found = errorsOf(type, release, object, old);
    expect(found.map((text, index) => text.slice(0, expected[index]?.length))).toEqual(expected);
  });
});
