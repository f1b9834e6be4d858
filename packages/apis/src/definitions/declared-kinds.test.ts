// Declared rules in force in their kinds: every rule of proto/ is reached from a kind, and rules that code of a kind
// enforces decide as they are declared.
import { describe, expect, test } from "@jest/globals";
import { DEFAULT_RELEASES, DeclaredChecks, type FieldGate, featuresOf, Place, Report } from "@orch/apis-model";
import { field } from "@orch/machinery";
import {
  type DeclaredField,
  declaredFields,
  declaredTypes,
  type JsonObject,
  loadSchema,
  vocabularyOf,
} from "@orch/schema";
import { type Changes, changed, ruleBases } from "../testing/rule-cases";
import { createRun, type RuleRun, updateRun } from "../testing/rule-run";
import { definitionOf } from "./definitions";
import { EVERY_RESOURCE } from "./every-resource";

const vocabulary = vocabularyOf("orch");

const nameOf = (file: string, type: string) => `${file}.${type}`;

const everyType = declaredTypes().flatMap(([file, types]) => types.map((type) => nameOf(file, type)));

function fieldsOf(type: string): readonly DeclaredField[] {
  const dot = type.lastIndexOf(".");
  return declaredFields(type.slice(0, dot), type.slice(dot + 1)) ?? [];
}

/** Types of subresources, which are no kinds of their own. */
const SCALES = everyType.filter((type) => type.endsWith(".Scale"));

/** Types without an object that is served: no field has them, or their fields are written among those of another type. */
const UNSERVED: ReadonlySet<string> = new Set([
  "resource/v1.DeviceConfiguration",
  "resource/v1beta1.DeviceConfiguration",
  "resource/v1beta2.DeviceConfiguration",
  "scheduling/v1alpha3.WorkloadCompositePodGroupDisruptionMode",
  "scheduling/v1alpha3.WorkloadCompositePodGroupGangSchedulingPolicy",
  "scheduling/v1alpha3.WorkloadCompositePodGroupSchedulingConstraints",
  "scheduling/v1alpha3.WorkloadCompositePodGroupSchedulingPolicy",
]);

test("every declared rule is reached from a kind", () => {
  const kinds = EVERY_RESOURCE.flatMap(({ kind, group, versions }) =>
    versions.map((each) => nameOf(`${each.group ?? group}/${each.version}`, kind)),
  );
  const reached = new Set([...kinds, ...SCALES]);
  for (const type of reached) for (const { type: inner } of fieldsOf(type)) if (inner !== undefined) reached.add(inner);
  const isRuled = (type: string) => fieldsOf(type).some(({ rules = [] }) => rules.length > 0);
  expect(everyType.filter((type) => isRuled(type) && !reached.has(type) && !UNSERVED.has(type))).toEqual([]);
  expect(SCALES.length).toBeGreaterThan(1);
});

const runs = new Map<string, RuleRun>();

function runFor(kind: string, release: string, gates: readonly FieldGate[] = []): RuleRun {
  const key = `${kind} ${release} ${gates.join()}`;
  const known = runs.get(key);
  if (known !== undefined) return known;
  const resource = EVERY_RESOURCE.find((each) => each.kind === kind);
  const features = featuresOf(release, Object.fromEntries(gates.map((gate) => [gate, true])));
  const definition =
    resource && definitionOf(resource, vocabulary, loadSchema(vocabulary, release), release, { features });
  if (definition === undefined) throw new Error(`no ${kind} in ${release}`);
  const run = { definition, version: definition.storage };
  runs.set(key, run);
  return run;
}

const bases = ruleBases();

function baseOf(name: string): JsonObject {
  const base = bases.get(name);
  if (base === undefined) throw new Error(`no base ${name}`);
  return base;
}

describe("an update of a stateful set", () => {
  const before = baseOf("statefulSet");

  test.each<[string, Changes]>([
    ["nothing", {}],
    ["replicas", { "/spec/replicas": 5 }],
    ["selector", { "/spec/selector/matchLabels/b": "c", "/spec/template/metadata/labels/b": "c" }],
    ["serviceName", { "/spec/serviceName": "other" }],
    ["podManagementPolicy", { "/spec/podManagementPolicy": "Parallel" }],
    ["volumeClaimTemplates", { "/spec/volumeClaimTemplates": [claim("new")] }],
    ["template", { "/spec/template/metadata/labels/more": "label" }],
  ])("is rejected as the declared rule of %s rejects it", (name, changes) => {
    const after = changed(before, changes);
    for (const release of [DEFAULT_RELEASES.orch, "1.36", "1.37"]) {
      const features = featuresOf(release);
      const report = new Report({ vocabulary, version: { group: "apps", version: "v1" }, features });
      const stored = createRun(runFor("StatefulSet", release), before).object;
      const next = createRun(runFor("StatefulSet", release), after).object;
      new DeclaredChecks(features, { inCode: true }).of("apps/v1.StatefulSet")?.(next, stored, Place.ROOT, report);
      const { errors } = updateRun(runFor("StatefulSet", release), "update", { before, after });
      const declared = report.errors.length > 0;
      expect({ name, release, rejected: errors.length > 0 }).toEqual({ name, release, rejected: declared });
      if (declared) expect(errors.map(field.fieldErrorText).join()).toContain("updates to statefulset spec");
    }
  });

  test("has a case for each declared rule that code enforces", () => {
    const inCode = everyType.flatMap((type) =>
      fieldsOf(type).flatMap(({ name, rules = [] }) => (rules.some((rule) => rule.inCode) ? [`${type} ${name}`] : [])),
    );
    const names = ["podManagementPolicy", "selector", "serviceName", "volumeClaimTemplates"];
    const types = ["v1", "v1beta1", "v1beta2"].map((version) => `apps/${version}.StatefulSetSpec`);
    expect(inCode.sort()).toEqual(types.flatMap((type) => names.map((name) => `${type} ${name}`)));
  });
});

function claim(name: string): JsonObject {
  return {
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
}

const responders = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, index) => ({ name: `example.com/r${index}`, priority: index }));

const EVICTION: readonly FieldGate[] = ["EvictionRequestAPI"];
const POD_SPECS: readonly (readonly [base: string, kind: string, spec: string])[] = [
  ["pod", "Pod", "/spec"],
  ["podTemplate", "PodTemplate", "/template/spec"],
  ["replicationController", "ReplicationController", "/spec/template/spec"],
  ["replicaSet", "ReplicaSet", "/spec/template/spec"],
  ["deployment", "Deployment", "/spec/template/spec"],
  ["daemonSet", "DaemonSet", "/spec/template/spec"],
  ["statefulSet", "StatefulSet", "/spec/template/spec"],
  ["job", "Job", "/spec/template/spec"],
  ["cronJob", "CronJob", "/spec/jobTemplate/spec/template/spec"],
];

describe.each(POD_SPECS)("the responders to evictions in a %s", (base, kind, spec) => {
  const place = spec.slice(1).replaceAll("/", ".");
  const errorsOf = (value: JsonObject[], gates = EVICTION): readonly string[] =>
    createRun(runFor(kind, "1.37", gates), changed(baseOf(base), { [`${spec}/evictionResponders`]: value })).errors.map(
      field.fieldErrorText,
    );

  test("meet the declared rules", () => {
    expect(errorsOf(responders(10))).toEqual([]);
    expect(errorsOf(responders(11))).toEqual([`${place}.evictionResponders: Too many: 11: must have at most 10 items`]);
    expect(errorsOf([{ name: "short", priority: 0 }]).map((text) => text.slice(0, 80 + place.length))).toEqual([
      expect.stringContaining(`${place}.evictionResponders[0].name: Invalid value: "short"`),
    ]);
    expect(errorsOf([{ name: "example.com/a", priority: 100_001 }])).toEqual([
      `${place}.evictionResponders[0].priority: Invalid value: 100001: must be less than or equal to 100000`,
    ]);
  });

  test("are dropped while the gate is disabled", () => expect(errorsOf(responders(11), [])).toEqual([]));
});

describe("a rule with a text of its own", () => {
  test.each<[kind: string, stored: JsonObject | undefined, object: JsonObject, expected: string[]]>([
    [
      "Node",
      { spec: { providerID: "cloud://a" } },
      { spec: { providerID: "cloud://b" } },
      ['spec.providerID: Forbidden: node updates may not change providerID except from "" to valid'],
    ],
    [
      "Node",
      { spec: { providerID: "cloud://a" } },
      { spec: {} },
      ['spec.providerID: Forbidden: node updates may not change providerID except from "" to valid'],
    ],
    ["Node", { spec: {} }, { spec: { providerID: "cloud://b" } }, []],
    [
      "SelfSubjectAccessReview",
      undefined,
      { spec: {} },
      [
        "spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified",
      ],
    ],
    [
      "SubjectAccessReview",
      undefined,
      { spec: { nonResourceAttributes: { path: "/" }, resourceAttributes: {} } },
      [
        'spec.nonResourceAttributes: Invalid value: {"path":"/"}: cannot be specified in combination with resourceAttributes',
        'spec.user: Invalid value: "": at least one of user or group must be specified',
      ],
    ],
    [
      "ReplicationController",
      undefined,
      changed(baseOf("replicationController"), { "/spec/replicas": -1, "/spec/minReadySeconds": -2 }),
      [
        "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
        "spec.minReadySeconds: Invalid value: -2: must be greater than or equal to 0",
      ],
    ],
  ])("is in force for a %s", (kind, stored, object, expected) => {
    for (const release of [DEFAULT_RELEASES.orch, "1.36"]) {
      const run = runFor(kind, release);
      const named = (part: JsonObject): JsonObject => ({ metadata: { name: "a" }, ...part, kind });
      const virtual = EVERY_RESOURCE.some((each) => each.kind === kind && "virtual" in each);
      const body = virtual ? object : named(object);
      const { errors } =
        stored === undefined ? createRun(run, body) : updateRun(run, "update", { before: named(stored), after: body });
      const texts = errors.map(field.fieldErrorText).filter((text) => !text.startsWith("metadata"));
      expect({ release, texts }).toEqual({ release, texts: expected });
    }
  });

  test("is in force for the failed indexes of a job", () => {
    const object = changed(baseOf("job"), { "/spec/maxFailedIndexes": 1, "/spec/completionMode": "Indexed" });
    expect(createRun(runFor("Job", "1.36"), object).errors.map(field.fieldErrorText)).toContain(
      "spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified",
    );
    expect(createRun(runFor("Job", "1.27"), object).errors.map(field.fieldErrorText)).not.toContainEqual(
      expect.stringContaining("backoffLimitPerIndex"),
    );
  });
});

test("declared rules of a claim's health are in force while its gate is enabled", () => {
  const run = runFor("PersistentVolumeClaim", "1.37", ["CSIVolumeHealth"]);
  const before = baseOf("persistentVolumeClaim");
  const reported = (reason: string) =>
    updateRun(run, "status", {
      before,
      after: changed(before, { "/status": { healthStatus: { healthConditions: [{ status: "Degraded", reason }] } } }),
    });
  expect(reported("Slow").errors).toEqual([]);
  expect(reported("a".repeat(257)).errors.map(field.fieldErrorText)).toEqual([
    "status.healthStatus.healthConditions[0].reason: Too long: must have at most 256 bytes",
  ]);
});
