import { describe, expect, test } from "@jest/globals";
import type { JsonObject, JsonValue } from "@orch/schema";
import { fakeDependencies, requestOf } from "../testing/admission-request";
import { changedPod, newPod, outcomeOf, podOf } from "../testing/plugin-outcome";
import { storedObjects } from "../testing/stored-objects";
import { podTolerationRestriction } from "./pod-toleration-restriction";

const DEFAULTS = "scheduler.alpha.orch.io/defaultTolerations";
const ALLOWED = "scheduler.alpha.orch.io/tolerationsWhitelist";
const PRESSURE = { key: "node.orch.io/memory-pressure", operator: "Exists", effect: "NoSchedule" };
const A = { key: "a", operator: "Exists" };
const B = { key: "b", operator: "Exists" };
const A_EQUAL = { key: "a", operator: "Equal", value: "v" };

interface EvaluatedValue {
  readonly defaults?: readonly JsonObject[] | string;
  readonly allowed?: readonly JsonObject[] | string;
  readonly configuration?: JsonObject;
}

const text = (value: readonly JsonObject[] | string): string =>
  typeof value === "string" ? value : JSON.stringify(value);

const setting = ({ defaults, allowed, configuration }: EvaluatedValue) => {
  const annotations = {
    ...(defaults !== undefined && { [DEFAULTS]: text(defaults) }),
    ...(allowed !== undefined && { [ALLOWED]: text(allowed) }),
  };
  const namespace = { kind: "Namespace", apiVersion: "v1", metadata: { name: "shop", annotations } };
  return {
    dependencies: storedObjects([namespace]),
    ...(configuration && { configuration: versioned(configuration) }),
  };
};

const versioned = (configuration: JsonObject): JsonObject => ({
  kind: "Configuration",
  apiVersion: "podtolerationrestriction.admission.orch.io/v1alpha1",
  ...configuration,
});

const tolerating = (tolerations: readonly JsonObject[], more: JsonObject = {}): JsonObject =>
  podOf({ ...more, ...(tolerations.length > 0 && { tolerations: tolerations as JsonObject[] }) });

const NAMESPACE =
  '403 pods "p" is forbidden: pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist';
const CLUSTER =
  '403 pods "p" is forbidden: pod tolerations (possibly merged with namespace default tolerations) conflict with its cluster whitelist';

type Row = [what: string, said: EvaluatedValue, own: readonly JsonObject[], after: readonly JsonObject[] | string];

const CREATED: readonly Row[] = [
  ["nothing is said", {}, [], []],
  ["nothing is said, and the pod tolerates", {}, [A], [A]],
  ["nothing is added, and nothing taken away", {}, [A_EQUAL, A], [A_EQUAL, A]],
  ["the namespace adds", { defaults: [A] }, [], [A]],
  ["the namespace adds behind", { defaults: [A] }, [B], [B, A]],
  ["the namespace adds the same", { defaults: [A] }, [A], [A]],
  ["the namespace adds more of it", { defaults: [A] }, [A_EQUAL], [A]],
  ["the namespace adds less of it", { defaults: [A_EQUAL] }, [A], [A]],
  ["the cluster adds", { configuration: { default: [A] } }, [], [A]],
  ["the namespace adds instead of the cluster", { defaults: [B], configuration: { default: [A] } }, [], [B]],
  ["the namespace adds nothing", { defaults: "[]", configuration: { default: [A] } }, [B], [B]],
  ["the namespace says nothing", { defaults: "", configuration: { default: [A] } }, [B], [B]],
  ["the namespace says null", { defaults: "null", configuration: { default: [A] } }, [B], [B]],
  ["the namespace allows it", { allowed: [A] }, [A], [A]],
  ["the namespace allows more of it", { allowed: [A] }, [A_EQUAL], [A_EQUAL]],
  ["the namespace allows less of it", { allowed: [A_EQUAL] }, [A], NAMESPACE],
  ["the namespace allows something else", { allowed: [B] }, [A], NAMESPACE],
  ["the namespace allows one of two", { allowed: [A] }, [A, B], NAMESPACE],
  ["the namespace allows all", { allowed: [{ operator: "Exists" }] }, [A, B], [A, B]],
  ["the namespace allows something, and nothing is asked", { allowed: [A] }, [], []],
  ["the namespace does not allow what it adds", { defaults: [B], allowed: [A] }, [], NAMESPACE],
  ["the namespace allows what it adds", { defaults: [A_EQUAL], allowed: [A] }, [], [A_EQUAL]],
  ["the cluster allows it", { configuration: { whitelist: [A] } }, [A], [A]],
  ["the cluster allows something else", { configuration: { whitelist: [A] } }, [B], CLUSTER],
  ["the cluster does not allow what it adds", { configuration: { default: [B], whitelist: [A] } }, [], CLUSTER],
  [
    "the cluster does not allow what the namespace adds",
    { defaults: [B], configuration: { whitelist: [A] } },
    [],
    CLUSTER,
  ],
  ["the namespace allows it instead of the cluster", { allowed: [B], configuration: { whitelist: [A] } }, [B], [B]],
  [
    "the namespace does not allow it, the cluster would",
    { allowed: [B], configuration: { whitelist: [A] } },
    [A],
    NAMESPACE,
  ],
  ["the namespace allows all by an empty list", { allowed: "[]", configuration: { whitelist: [A] } }, [B], [B]],
  ["the namespace allows all by an empty text", { allowed: "", configuration: { whitelist: [A] } }, [B], [B]],
  ["an empty list of the cluster allows all", { configuration: { whitelist: [] } }, [B], [B]],
  [
    "time counts",
    { allowed: [{ ...A, effect: "NoExecute", tolerationSeconds: 5 }] },
    [{ ...A, effect: "NoExecute", tolerationSeconds: 6 }],
    NAMESPACE,
  ],
  ["keys are written in whatever case", { defaults: '[{"Key":"a","Operator":"Exists"}]' }, [], [A]],
];

test.each(CREATED)("when a pod is created and %s", async (_what, said, own, after) => {
  const expected = typeof after === "string" ? after : tolerating(after);
  expect(await outcomeOf(podTolerationRestriction, newPod(tolerating(own)), setting(said))).toEqual(expected);
});

test.each<Row>([
  ["nothing is said", {}, [A], [A]],
  ["the namespace adds", { defaults: [A] }, [B], [B]],
  ["the namespace adds something that is no list", { defaults: "{" }, [B], [B]],
  ["the cluster adds", { configuration: { default: [A] } }, [], []],
  ["the namespace allows something else", { allowed: [B] }, [A], NAMESPACE],
  ["the cluster allows something else", { configuration: { whitelist: [A] } }, [B], CLUSTER],
])("when a pod is changed and %s", async (_what, said, own, after) => {
  const pod = tolerating(own);
  const expected = typeof after === "string" ? after : tolerating(after);
  expect(await outcomeOf(podTolerationRestriction, changedPod(pod, pod), setting(said))).toEqual(expected);
});

const asking = (resources: JsonObject): JsonObject => ({ containers: [{ name: "c", resources }] });

test.each<
  [
    what: string,
    spec: JsonObject,
    said: EvaluatedValue,
    own: readonly JsonObject[],
    after: readonly JsonObject[] | string,
  ]
>([
  ["asks for nothing", asking({}), {}, [], []],
  ["asks for some", asking({ requests: { cpu: "1" } }), {}, [], [PRESSURE]],
  [
    "asks for some before it runs",
    { initContainers: [{ name: "i", resources: { requests: { memory: "1" } } }] },
    {},
    [],
    [PRESSURE],
  ],
  [
    "is bounded by what it asks",
    asking({ requests: { cpu: "1", memory: "1" }, limits: { cpu: "1", memory: "1" } }),
    {},
    [],
    [PRESSURE],
  ],
  [
    "asks for a device alone",
    asking({ requests: { "example.com/gpu": "1" }, limits: { "example.com/gpu": "1" } }),
    {},
    [],
    [],
  ],
  ["asks for some and tolerates it", asking({ requests: { cpu: "1" } }), {}, [PRESSURE], [PRESSURE]],
  [
    "asks for some and tolerates all",
    asking({ requests: { cpu: "1" } }),
    {},
    [{ operator: "Exists" }],
    [{ operator: "Exists" }],
  ],
  ["asks for some and is given more", asking({ requests: { cpu: "1" } }), { defaults: [A] }, [B], [B, A, PRESSURE]],
  ["asks for some and merges its own", asking({ requests: { cpu: "1" } }), {}, [A_EQUAL, A], [A, PRESSURE]],
  ["asks for some, which is not allowed", asking({ requests: { cpu: "1" } }), { allowed: [A] }, [], NAMESPACE],
])("a pod that %s", async (_what, spec, said, own, after) => {
  const expected = typeof after === "string" ? after : tolerating(after, spec);
  const pod = tolerating(own, spec);
  expect(await outcomeOf(podTolerationRestriction, newPod(pod), setting(said))).toEqual(expected);
  if (said.defaults === undefined) {
    expect(await outcomeOf(podTolerationRestriction, changedPod(pod, pod), setting(said))).toEqual(expected);
  }
});

test.each([
  [
    { defaults: "{" },
    /^403 pods "p" is forbidden: annotation scheduler\.alpha\.orch\.io\/defaultTolerations of the namespace: /,
  ],
  [{ defaults: "{}" }, /defaultTolerations of the namespace: must be a list of tolerations$/],
  [{ defaults: "[1]" }, /defaultTolerations of the namespace: \[0\] must be a toleration$/],
  [{ allowed: '[{"key":1}]' }, /tolerationsWhitelist of the namespace: \[0\]\.key must be a string$/],
])("an annotation that says %j", async (said, refusal) => {
  expect(await outcomeOf(podTolerationRestriction, newPod(tolerating([A])), setting(said))).toMatch(refusal);
});

test("changes of later plugins are validated", async () => {
  const { dependencies } = setting({ allowed: [A] });
  const { validate } = podTolerationRestriction.make(fakeDependencies(dependencies));
  await expect((async () => validate?.(requestOf(newPod(tolerating([B])))))()).rejects.toThrow(NAMESPACE.slice(4));
});

test("a namespace that a cache has not heard of is asked of the store, and has to be there", async () => {
  const { dependencies } = setting({ defaults: [A] });
  const behind = { ...dependencies, objects: { ...dependencies.objects, cached: async () => undefined } };
  expect(await outcomeOf(podTolerationRestriction, newPod(podOf()), { dependencies: behind })).toEqual(tolerating([A]));
  expect(await outcomeOf(podTolerationRestriction, newPod(podOf()))).toBe('404 namespaces "shop" not found');
});

test.each([
  ["parts of pods", newPod(tolerating([B]), { subresource: "status", operation: "UPDATE" })],
  ["other kinds", { object: tolerating([B]) }],
  ["pods without a specification", newPod({ metadata: { name: "p" } })],
])("%s are not looked at", async (_what, parts) => {
  expect(await outcomeOf(podTolerationRestriction, parts, setting({ defaults: [A], allowed: [A] }))).toEqual(
    parts.object,
  );
});

test("nothing happens while it is off", async () => {
  const said = setting({ defaults: [A], allowed: [A] });
  expect(await outcomeOf(undefined, newPod(tolerating([B])), { dependencies: said.dependencies })).toEqual(
    tolerating([B]),
  );
});

describe("the configuration", () => {
  test.each<JsonValue | undefined>([
    undefined,
    versioned({}),
    versioned({ default: null, whitelist: [] }),
    versioned({ default: [A], whitelist: [{}] }),
  ])("may be %j", (configuration) => {
    expect(() => podTolerationRestriction.make(fakeDependencies(), configuration)).not.toThrow();
  });

  const group = "podtolerationrestriction.admission.orch.io";
  test.each<[JsonValue, string]>([
    [[], 'kind: Unsupported value: null: supported values: "Configuration"'],
    [versioned({ kind: "Other" }), 'kind: Unsupported value: "Other": supported values: "Configuration"'],
    [versioned({ apiVersion: "v1" }), `apiVersion: Unsupported value: "v1": supported values: "${group}/v1alpha1"`],
    [versioned({ defaults: [] }), "defaults"],
    [versioned({ default: {} }), "default: must be a list of tolerations"],
    [versioned({ whitelist: [1] }), "whitelist: [0] must be a toleration"],
    [versioned({ default: [{ effect: 1 }] }), "default: [0].effect must be a string"],
    [
      versioned({ default: 1, whitelist: 2 }),
      "[default: must be a list of tolerations, whitelist: must be a list of tolerations]",
    ],
  ])("may not be %j", (configuration, message) => {
    expect(() => podTolerationRestriction.make(fakeDependencies(), configuration)).toThrow(message);
  });
});
