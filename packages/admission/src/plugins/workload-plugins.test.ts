// Plugins of newer releases for resized pods, pod groups and jobs.
import { describe, expect, test } from "@jest/globals";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { fakeDependencies } from "../testing/admission-request";
import { outcomeOf, podOf } from "../testing/plugin-outcome";
import { storedObjects } from "../testing/stored-objects";
import { jobValidation } from "./job-validation";
import { nodeDeclaredFeatureValidator } from "./node-declared-feature-validator";
import { podGroupProtection } from "./pod-group-protection";
import { podGroupWorkloadExists } from "./pod-group-workload-exists";
import { podResizeValidator } from "./pod-resize-validator";

const { groups, labels, finalizers } = vocabularyOf("orch");
const SCHEDULING = `${groups.scheduling}/v1beta1`;

/** Returns dependencies with the stored objects and only the named gates on. */
const withGates = (gates: readonly string[], objects: readonly JsonObject[] = []) => ({
  dependencies: {
    ...storedObjects(objects),
    options: { ...fakeDependencies().options, isOn: (gate: string) => gates.includes(gate) },
  },
});

const nodeOf = (status: JsonObject, system?: string): JsonObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n", ...(system !== undefined && { labels: { [labels.os]: system } }) },
  status,
});

const bound = (spec: JsonObject, generation: number): JsonObject => podOf({ nodeName: "n", ...spec }, { generation });
const asks = (requests: JsonObject): JsonObject => ({ name: "c", image: "i", resources: { requests } });

const resize = (object: JsonObject, oldObject: JsonObject, subresource = "resize") =>
  ({ plural: "pods", name: "p", operation: "UPDATE", subresource, object, oldObject }) as const;

describe("PodResizeValidator", () => {
  const small = { allocatable: { cpu: "1", memory: "1Gi" } };
  const outcome = (after: JsonObject, node: readonly JsonObject[], on = true, subresource = "resize") =>
    outcomeOf(
      podResizeValidator,
      resize(after, bound({}, 1), subresource),
      withGates(on ? ["InPlacePodVerticalScaling"] : [], node),
    );
  const big = bound({ containers: [asks({ cpu: "1500m", memory: "2Gi" })] }, 2);
  const reason = "node didn't have enough allocatable resources";

  test.each<[string, JsonObject, JsonObject[], string]>([
    [
      "more than both amounts",
      big,
      [nodeOf(small)],
      `${reason}: cpu, requested: 1500, allocatable: 1000; memory, requested: 2147483648, allocatable: 1073741824`,
    ],
    [
      "more processors",
      bound({ containers: [asks({ cpu: "1001m" })] }, 2),
      [nodeOf(small)],
      `${reason}: cpu, requested: 1001, allocatable: 1000`,
    ],
    [
      "more than a node that lists nothing",
      bound({ containers: [asks({ memory: "1" })] }, 2),
      [nodeOf({})],
      `${reason}: memory, requested: 1, allocatable: 0`,
    ],
    [
      "more together with the overhead",
      bound({ containers: [asks({ cpu: "1" })], overhead: { cpu: "1m" } }, 2),
      [nodeOf(small)],
      `${reason}: cpu, requested: 1001, allocatable: 1000`,
    ],
    [
      "more as a pod",
      bound({ resources: { requests: { cpu: "2" } } }, 2),
      [nodeOf(small)],
      `${reason}: cpu, requested: 2000, allocatable: 1000`,
    ],
    [
      "a node of another system",
      big,
      [nodeOf(small, "windows")],
      'pod resize is only supported on linux nodes, node "n" is "windows"',
    ],
    ["a missing node", big, [], 'node "n" not found'],
  ])("refuses %s", async (_what, after, node, text) => {
    expect(await outcome(after, node)).toBe(`403 pods "p" is forbidden: ${text}`);
  });

  test.each<[string, JsonObject, boolean, string]>([
    ["amounts that the node has", bound({ containers: [asks({ cpu: "1", memory: "1Gi" })] }, 2), true, "resize"],
    ["a pod without a node", podOf({ containers: [asks({ cpu: "9" })] }, { generation: 2 }), true, "resize"],
    ["an unchanged spec", bound({ containers: [asks({ cpu: "9" })] }, 1), true, "resize"],
    ["another subresource", big, true, "status"],
    ["everything while the gate is off", big, false, "resize"],
  ])("allows %s", async (_what, after, on, subresource) => {
    expect(await outcome(after, [nodeOf(small, "linux")], on, subresource)).toMatchObject({ kind: "Pod" });
  });
});

describe("NodeDeclaredFeatureValidator", () => {
  const GATE = ["NodeDeclaredFeatures"];
  const POD_LEVEL = "InPlacePodLevelResourcesVerticalScaling";
  const INIT = "InPlacePodVerticalScalingInitContainers";
  const init = (cpu: string, restartPolicy?: string): JsonObject => ({
    initContainers: [{ ...asks({ cpu }), ...(restartPolicy !== undefined && { restartPolicy }) }],
  });
  const both = { ...init("2"), resources: { requests: { cpu: "2" } } };
  const outcome = (
    after: JsonObject,
    declared: readonly string[] | undefined,
    gates = GATE,
    subresource = "resize",
  ) => {
    const node = declared === undefined ? [] : [nodeOf({ declaredFeatures: [...declared] })];
    const before = bound(
      { ...init("1", after["sidecar"] === true ? "Always" : undefined), resources: { requests: { cpu: "1" } } },
      1,
    );
    const { sidecar: _sidecar, ...spec } = after;
    const { resources = { requests: { cpu: "1" } }, ...rest } = spec;
    return outcomeOf(
      nodeDeclaredFeatureValidator,
      resize(bound({ ...init("1"), ...rest, resources }, 2), before, subresource),
      withGates(gates, node),
    );
  };
  const lacks = (features: string) =>
    `403 pods "p" is forbidden: pod update requires features ${features} which are not available on node "n"`;

  test.each<[string, JsonObject, readonly string[] | undefined, string]>([
    ["resources of the pod", { resources: { requests: { cpu: "2" } } }, [INIT], lacks(POD_LEVEL)],
    ["resources of an init container", init("2"), [POD_LEVEL], lacks(INIT)],
    ["both", both, [], lacks(`${POD_LEVEL}, ${INIT}`)],
    ["resources on a missing node", both, undefined, '403 pods "p" is forbidden: node "n" not found'],
  ])("refuses a change of %s", async (_what, after, declared, expected) => {
    expect(await outcome(after, declared)).toBe(expected);
    expect(await outcome(after, declared, GATE, "")).toBe(expected);
  });

  test.each<[string, JsonObject, readonly string[] | undefined, readonly string[], string]>([
    ["features that the node declares", both, [INIT, POD_LEVEL], GATE, "resize"],
    ["a sidecar", { sidecar: true, ...init("2", "Always") }, [], GATE, "resize"],
    ["a change of labels", {}, undefined, GATE, ""],
    ["the status", both, [], GATE, "status"],
    ["everything while the gate is off", both, [], [], "resize"],
  ])("allows %s", async (_what, after, declared, gates, subresource) => {
    expect(await outcome(after, declared, [...gates], subresource)).toMatchObject({ kind: "Pod" });
  });
});

describe("plugins of pod groups", () => {
  const GATE = ["GenericWorkload"];
  const group = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
    apiVersion: SCHEDULING,
    kind: "PodGroup",
    metadata: { name: "g", namespace: "shop", ...metadata },
    spec,
  });
  const create = (object: JsonObject, subresource = "") =>
    ({ plural: "podgroups", group: groups.scheduling, name: "g", object, subresource }) as const;
  const workload = (metadata: JsonObject = {}): JsonObject => ({
    apiVersion: SCHEDULING,
    kind: "Workload",
    metadata: { name: "w", namespace: "shop", ...metadata },
    spec: { podGroupTemplates: [{ name: "a" }, { name: "b" }] },
  });
  const from = (workloadName: string, templateName: string) => group({ workloadRef: { workloadName, templateName } });
  const added = [finalizers.podGroupProtection];

  test.each<[string, readonly string[], readonly string[], readonly string[] | undefined]>([
    ["is added", GATE, [], added],
    ["is added after others", GATE, ["x/y"], ["x/y", ...added]],
    ["is not repeated", GATE, added, added],
    ["is not added while the gate is off", [], [], []],
  ])("the finalizer of a new pod group %s", async (_what, gates, present, expected) => {
    const outcome = await outcomeOf(
      podGroupProtection,
      create(group({}, { finalizers: [...present] })),
      withGates(gates),
    );
    expect(outcome).toMatchObject({ metadata: { finalizers: expected } });
  });

  const rejected = `403 podgroups.${groups.scheduling} "g" is forbidden: PodGroup rejected:`;
  test.each<[string, JsonObject, JsonObject[], string]>([
    ["does not exist", from("w", "a"), [], `${rejected} Workload "w" not found`],
    [
      "is in another namespace",
      from("w", "a"),
      [workload({ namespace: "other" })],
      `${rejected} Workload "w" not found`,
    ],
    [
      "is being deleted",
      from("w", "a"),
      [workload({ deletionTimestamp: "2026-01-01T00:00:00Z" })],
      `${rejected} Workload "w" is being deleted`,
    ],
    ["lacks the template", from("w", "c"), [workload()], `${rejected} PodGroupTemplate "c" not found in Workload "w"`],
  ])("a pod group whose workload %s is refused", async (_what, object, stored, expected) => {
    expect(await outcomeOf(podGroupWorkloadExists, create(object), withGates(GATE, stored))).toBe(expected);
    expect(await outcomeOf(podGroupWorkloadExists, create(object), withGates([], stored))).toMatchObject({ spec: {} });
  });

  test("a pod group with a template of its workload, or without a workload, is allowed", async () => {
    for (const object of [from("w", "b"), group()]) {
      const outcome = await outcomeOf(podGroupWorkloadExists, create(object), withGates(GATE, [workload()]));
      expect(outcome).toMatchObject({ kind: "PodGroup" });
    }
  });
});

describe("JobValidation", () => {
  const job = (parallelism: number, schedulingGroup?: JsonObject): JsonObject => ({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "j", namespace: "shop", uid: "u1" },
    spec: { parallelism, template: { spec: { ...(schedulingGroup && { schedulingGroup }) } } },
  });
  const group = (schedulingPolicy: JsonObject, owner?: JsonObject): JsonObject => ({
    apiVersion: SCHEDULING,
    kind: "PodGroup",
    metadata: { name: "g", namespace: "shop", ...(owner && { ownerReferences: [owner] }) },
    spec: { schedulingPolicy },
  });
  const GANG = { gang: { minCount: 2 } };
  const NAMED = { podGroupName: "g" };
  const owner = (uid: string, controller = true): JsonObject => ({
    apiVersion: "batch/v1",
    kind: "Job",
    name: "j",
    uid,
    controller,
  });
  const outcome = (before: JsonObject, after: JsonObject, stored: readonly JsonObject[], gates = ["GenericWorkload"]) =>
    outcomeOf(
      jobValidation,
      { plural: "jobs", group: "batch", name: "j", operation: "UPDATE", object: after, oldObject: before },
      withGates(gates, stored),
    );

  test.each<[string, JsonObject | undefined, JsonObject]>([
    ["names a gang", NAMED, group(GANG)],
    ["owns a gang", undefined, group(GANG, owner("u1"))],
  ])("refuses another parallelism of a job that %s", async (_what, named, stored) => {
    expect(await outcome(job(2, named), job(3, named), [stored])).toBe(
      '403 jobs.batch "j" is forbidden: cannot change parallelism for a Job referencing gang-scheduled PodGroup "g"',
    );
    expect(await outcome(job(2, named), job(2, named), [stored])).toMatchObject({ kind: "Job" });
    expect(await outcome(job(2, named), job(3, named), [stored], [])).toMatchObject({ kind: "Job" });
  });

  test.each<[string, JsonObject | undefined, JsonObject[]]>([
    ["without a group", undefined, []],
    ["whose group is missing", NAMED, []],
    ["whose group is no gang", NAMED, [group({ basic: {} })]],
    ["when another job owns the gang", undefined, [group(GANG, owner("u2"))]],
    ["that does not control the gang", undefined, [group(GANG, owner("u1", false))]],
  ])("allows another parallelism of a job %s", async (_what, named, stored) => {
    expect(await outcome(job(2, named), job(3, named), stored)).toMatchObject({ spec: { parallelism: 3 } });
  });
});
