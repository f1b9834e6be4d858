// Table tests of the usage of objects. Source: Kubernetes documentation, "Resource Quotas".
import { describe, expect, test } from "@jest/globals";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { ClassResources, includesClaim } from "./class-resources";
import type { QuotaEvaluator } from "./evaluator";
import { QuotaEvaluators } from "./evaluators";
import { type ScopeRequirement, scopesOf, scopesText } from "./scopes";
import { amountsOf } from "./usage";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const evaluatorsOf = (release = "1.20") => new QuotaEvaluators({ vocabulary: vocabularyOf("orch"), release });

function evaluatorOf(resource: string, { group = "", release = "1.20" } = {}): QuotaEvaluator {
  const found = evaluatorsOf(release).of({ group, resource });
  if (found === undefined) throw new Error(`nobody counts ${resource}`);
  return found;
}

type Amounts = Readonly<Record<string, string>>;
const container = (requests: Amounts = {}, limits: Amounts = {}): JsonObject => ({ resources: { requests, limits } });

interface PodParts {
  readonly containers?: readonly JsonObject[];
  readonly init?: readonly JsonObject[];
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
  readonly metadata?: JsonObject;
}

const pod = ({ containers = [{}], init = [], spec = {}, status = {}, metadata = {} }: PodParts): JsonObject => ({
  metadata: { name: "p", namespace: "shop", ...metadata },
  spec: { containers: [...containers], initContainers: [...init], ...spec },
  status,
});

const ALWAYS = { "count/pods": "1" };
const LIVE = { ...ALWAYS, pods: "1" };
const deleted = (deletionTimestamp: string, seconds: number): PodParts => ({
  metadata: { deletionTimestamp, deletionGracePeriodSeconds: seconds },
});
const overhead = { overhead: { cpu: "50m", memory: "10Mi" } };

describe("a pod counts for", () => {
  test.each<[string, PodParts, Amounts, string?]>([
    ["itself", {}, LIVE],
    [
      "what its container asks for",
      { containers: [container({ cpu: "100m", memory: "1Gi" })] },
      { ...LIVE, cpu: "100m", "requests.cpu": "100m", memory: "1Gi", "requests.memory": "1Gi" },
    ],
    [
      "what its container may use at most",
      { containers: [container({}, { cpu: "1", memory: "2Gi", "ephemeral-storage": "5Gi" })] },
      { ...LIVE, "limits.cpu": "1", "limits.memory": "2Gi", "limits.ephemeral-storage": "5Gi" },
    ],
    [
      "its containers together",
      { containers: [container({ cpu: "100m" }), container({ cpu: "250m", "ephemeral-storage": "1Gi" })] },
      {
        ...LIVE,
        cpu: "350m",
        "requests.cpu": "350m",
        "ephemeral-storage": "1Gi",
        "requests.ephemeral-storage": "1Gi",
      },
    ],
    [
      "the largest of those that run first, where that is more",
      { containers: [container({ cpu: "100m" })], init: [container({ cpu: "1" }), container({ cpu: "2" })] },
      { ...LIVE, cpu: "2", "requests.cpu": "2" },
    ],
    [
      "its containers, where those that run first take less",
      { containers: [container({ cpu: "2" }), container({ cpu: "1" })], init: [container({ cpu: "1" })] },
      { ...LIVE, cpu: "3", "requests.cpu": "3" },
    ],
    [
      "each resource by itself",
      {
        containers: [container({ cpu: "2", memory: "1Gi" }, { cpu: "2" })],
        init: [container({ cpu: "1", memory: "4Gi" }, { cpu: "3" })],
      },
      { ...LIVE, cpu: "2", "requests.cpu": "2", memory: "4Gi", "requests.memory": "4Gi", "limits.cpu": "3" },
    ],
    [
      "what only a first container asks for",
      { init: [container({ memory: "64Mi" })] },
      { ...LIVE, memory: "64Mi", "requests.memory": "64Mi" },
    ],
    [
      "large pages by size",
      { containers: [container({ "hugepages-2Mi": "4Mi" }, { "hugepages-2Mi": "4Mi" })] },
      { ...LIVE, "hugepages-2Mi": "4Mi", "requests.hugepages-2Mi": "4Mi" },
    ],
    [
      "devices, by what is asked for alone",
      { containers: [container({ "example.com/gpu": "2" }, { "example.com/gpu": "2" })] },
      { ...LIVE, "requests.example.com/gpu": "2" },
    ],
    ["no resource of the product's own", { containers: [container({ "orch.io/thing": "2" })] }, LIVE],
    ["no resource that nobody counts", { containers: [container({ storage: "2" })] }, LIVE],
    [
      "zero where it asks for zero",
      { containers: [container({ cpu: "0" })] },
      { ...LIVE, cpu: "0", "requests.cpu": "0" },
    ],
    [
      "sums in the form of the first amount",
      { containers: [container({ memory: "1Gi" }), container({ memory: "1024k" })] },
      { ...LIVE, memory: "1049576Ki", "requests.memory": "1049576Ki" },
    ],
    ["nothing but its being there once it has succeeded", { status: { phase: "Succeeded" } }, ALWAYS],
    ["nothing but its being there once it has failed", { status: { phase: "Failed" } }, ALWAYS],
    ["itself while it waits", { status: { phase: "Pending" } }, LIVE],
    ["itself while it runs", { status: { phase: "Running" } }, LIVE],
    ["itself while nobody knows", { status: { phase: "Unknown" } }, LIVE],
    ["itself as long as its end takes", deleted("2025-12-31T23:59:50Z", 30), LIVE],
    ["itself at the moment of its end", deleted("2025-12-31T23:59:30Z", 30), LIVE],
    ["nothing more after its time", deleted("2025-12-31T23:59:00Z", 30), ALWAYS],
    ["no overhead in old releases", { spec: overhead }, LIVE, "1.20"],
    [
      "its overhead in newer ones",
      { spec: overhead, containers: [container({ cpu: "100m" })] },
      {
        ...LIVE,
        cpu: "150m",
        "requests.cpu": "150m",
        memory: "10Mi",
        "requests.memory": "10Mi",
        "limits.cpu": "50m",
        "limits.memory": "10Mi",
      },
      "1.21",
    ],
  ])("%s", (_what, parts, expected, ...[release]) => {
    const evaluator = evaluatorOf("pods", release === undefined ? {} : { release });
    const object = pod(parts);
    expect(amountsOf(evaluator.usage(object, { nowMs: NOW }))).toEqual(expected);
    expect(amountsOf(evaluator.usage(evaluator.essence(object), { nowMs: NOW }))).toEqual(expected);
  });

  test("less after the time of its end, which is known beforehand", () => {
    const { endsAtMs } = evaluatorOf("pods");
    expect(endsAtMs?.(pod(deleted("2026-01-01T00:00:00Z", 30)))).toBe(NOW + 30_000);
    expect(endsAtMs?.(pod({ ...deleted("2026-01-01T00:00:00Z", 30), status: { phase: "Failed" } }))).toBeUndefined();
    expect(endsAtMs?.(pod({}))).toBeUndefined();
  });
});

describe("a service counts for", () => {
  const counts = (nodePorts: number, balancers: number): Amounts => ({
    "count/services": "1",
    services: "1",
    "services.nodeports": `${nodePorts}`,
    "services.loadbalancers": `${balancers}`,
  });
  const ports = [{ port: 1 }, { port: 2, nodePort: 30_000 }, { port: 3, nodePort: 0 }];
  const bare = { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ports };
  test.each<[string, JsonObject, Amounts, string?]>([
    ["itself", { type: "ClusterIP", ports }, counts(0, 0)],
    ["itself, whatever its type", { type: "ExternalName" }, counts(0, 0)],
    ["itself where it has no type", { ports }, counts(0, 0)],
    ["each port of the nodes", { type: "NodePort", ports }, counts(3, 0)],
    ["no port where it has none", { type: "NodePort" }, counts(0, 0)],
    ["a load balancer and its ports", { type: "LoadBalancer", ports }, counts(3, 1)],
    ["ports that it does not want, in old releases", bare, counts(3, 1), "1.23"],
    ["of ports that it does not want those that it has", bare, counts(1, 1), "1.24"],
    ["all ports where it wants them", { ...bare, allocateLoadBalancerNodePorts: true }, counts(3, 1), "1.24"],
  ])("%s", (_what, spec, expected, ...[release]) => {
    const evaluator = evaluatorOf("services", release === undefined ? {} : { release });
    const object = { metadata: { name: "s" }, spec };
    expect(amountsOf(evaluator.usage(object, { nowMs: NOW }))).toEqual(expected);
    expect(amountsOf(evaluator.usage(evaluator.essence(object), { nowMs: NOW }))).toEqual(expected);
  });
});

describe("a claim counts for", () => {
  const one = { "count/persistentvolumeclaims": "1", persistentvolumeclaims: "1" };
  const gold = "gold.storageclass.storage.orch.io";
  const asking = (storage: string): JsonObject => ({ resources: { requests: { storage } } });
  test.each<[string, JsonObject, JsonObject, Amounts]>([
    ["itself", {}, {}, one],
    ["what it asks for", {}, asking("5Gi"), { ...one, "requests.storage": "5Gi" }],
    ["whole bytes", {}, asking("1500m"), { ...one, "requests.storage": "2" }],
    [
      "its class",
      {},
      { ...asking("1Gi"), storageClassName: "gold" },
      {
        ...one,
        "requests.storage": "1Gi",
        [`${gold}/requests.storage`]: "1Gi",
        [`${gold}/persistentvolumeclaims`]: "1",
      },
    ],
    [
      "its class though it asks for nothing",
      {},
      { storageClassName: "gold" },
      { ...one, [`${gold}/persistentvolumeclaims`]: "1" },
    ],
    [
      "no class where that is empty",
      {},
      { ...asking("1Gi"), storageClassName: "" },
      { ...one, "requests.storage": "1Gi" },
    ],
    [
      "the class of its annotation before all",
      { "volume.beta.orch.io/storage-class": "gold" },
      { storageClassName: "silver" },
      { ...one, [`${gold}/persistentvolumeclaims`]: "1" },
    ],
    [
      "no class where the annotation is empty",
      { "volume.beta.orch.io/storage-class": "" },
      { storageClassName: "silver" },
      one,
    ],
  ])("%s", (_what, annotations, spec, expected) => {
    const evaluator = evaluatorOf("persistentvolumeclaims");
    const object = { metadata: { name: "c", annotations }, spec };
    expect(amountsOf(evaluator.usage(object, { nowMs: NOW }))).toEqual(expected);
    expect(amountsOf(evaluator.usage(evaluator.essence(object), { nowMs: NOW }))).toEqual(expected);
  });
});

describe("a claim whose expansion allocated more than it requests", () => {
  const claim = {
    metadata: { name: "c" },
    spec: { resources: { requests: { storage: "1Gi" } } },
    status: { allocatedResources: { storage: "5Gi" } },
  };
  test.each([
    ["1.31", "1Gi"],
    ["1.32", "5Gi"],
  ])("counts in %s for %s", (release, expected) => {
    const evaluator = evaluatorOf("persistentvolumeclaims", { release });
    for (const object of [claim, evaluator.essence(claim)])
      expect(amountsOf(evaluator.usage(object, { nowMs: NOW }))["requests.storage"]).toBe(expected);
  });

  test("is charged by an update of its status since 1.32", () => {
    const before = { ...claim, status: {} };
    const charges = (release: string, old: JsonObject, object: JsonObject) =>
      evaluatorOf("persistentvolumeclaims", { release }).chargesStatus?.(old, object);
    expect(charges("1.32", before, claim)).toBe(true);
    expect(charges("1.32", claim, claim)).toBe(false);
    expect(charges("1.31", before, claim)).toBe(false);
  });
});

describe("the scope VolumeAttributesClass", () => {
  const scope = (operator: string, ...values: string[]): ScopeRequirement => ({
    scopeName: "VolumeAttributesClass",
    operator,
    values,
  });
  const requested = { spec: { volumeAttributesClassName: "gold" } };
  const current = { spec: {}, status: { currentVolumeAttributesClassName: "gold" } };
  const target = {
    spec: { volumeAttributesClassName: "silver" },
    status: { modifyVolumeStatus: { targetVolumeAttributesClassName: "gold", status: "InProgress" } },
  };
  test.each<[string, JsonObject, ScopeRequirement, boolean]>([
    ["a requested class", requested, scope("In", "gold", "silver"), true],
    ["the class in effect", current, scope("In", "gold"), true],
    ["the class that a modification leads to", target, scope("In", "gold"), true],
    ["the other class of a modification", target, scope("NotIn", "gold"), true],
    ["no other class", requested, scope("In", "silver"), false],
    ["any class", current, scope("Exists"), true],
    ["no class where there is none", { spec: {} }, scope("Exists"), false],
    ["the absence of a class", { spec: {} }, scope("DoesNotExist"), true],
    ["no excluded class", requested, scope("NotIn", "gold"), false],
    ["no scope of pods", requested, { scopeName: "BestEffort", operator: "Exists", values: [] }, false],
  ])("includes %s", (_what, claim, requirement, expected) => {
    const evaluator = evaluatorOf("persistentvolumeclaims", { release: "1.33" });
    const object = { metadata: { name: "c" }, ...claim };
    for (const each of [object, evaluator.essence(object)])
      expect(evaluator.inScope?.(each, requirement)).toBe(expected);
  });

  test("includes no claim before 1.33", () => {
    expect(evaluatorOf("persistentvolumeclaims", { release: "1.32" }).inScope).toBeUndefined();
  });

  test("has a status update charged when the classes change", () => {
    const { chargesStatus } = evaluatorOf("persistentvolumeclaims", { release: "1.33" });
    expect(chargesStatus?.(requested, target)).toBe(true);
    expect(chargesStatus?.(requested, { ...requested, status: { phase: "Bound" } })).toBe(false);
  });
});

describe("any other object counts for one", () => {
  test.each<[string, string, Amounts]>([
    ["", "configmaps", { "count/configmaps": "1", configmaps: "1" }],
    ["", "secrets", { "count/secrets": "1", secrets: "1" }],
    ["", "replicationcontrollers", { "count/replicationcontrollers": "1", replicationcontrollers: "1" }],
    ["", "resourcequotas", { "count/resourcequotas": "1", resourcequotas: "1" }],
    ["", "serviceaccounts", { "count/serviceaccounts": "1" }],
    ["apps", "deployments", { "count/deployments.apps": "1" }],
    ["events.orch.io", "events", { "count/events.events.orch.io": "1" }],
    ["example.com", "widgets", { "count/widgets.example.com": "1" }],
    ["example.com", "pods", { "count/pods.example.com": "1" }],
    ["example.com", "configmaps", { "count/configmaps.example.com": "1" }],
  ])("%s %s", (group, resource, expected) => {
    const evaluator = evaluatorOf(resource, { group });
    expect(amountsOf(evaluator.usage({ metadata: { name: "a" } }, { nowMs: NOW }))).toEqual(expected);
    for (const name of Object.keys(expected)) expect(evaluator.knows(name)).toBe(true);
    expect(evaluator.knows("pods")).toBe(false);
  });
});

describe("the name in a quota", () => {
  test.each<[string, string | undefined]>([
    ["pods", "pods."],
    ["count/pods", "pods."],
    ["cpu", "pods."],
    ["requests.memory", "pods."],
    ["limits.ephemeral-storage", "pods."],
    ["hugepages-2Mi", "pods."],
    ["requests.hugepages-1Gi", "pods."],
    ["requests.example.com/gpu", "pods."],
    ["requests.orch.io/thing", undefined],
    ["limits.example.com/gpu", undefined],
    ["example.com/gpu", undefined],
    ["services", "services."],
    ["services.nodeports", "services."],
    ["services.loadbalancers", "services."],
    ["count/services", "services."],
    ["persistentvolumeclaims", "persistentvolumeclaims."],
    ["count/persistentvolumeclaims", "persistentvolumeclaims."],
    ["requests.storage", "persistentvolumeclaims."],
    ["gold.storageclass.storage.orch.io/requests.storage", "persistentvolumeclaims."],
    ["gold.storageclass.storage.orch.io/persistentvolumeclaims", "persistentvolumeclaims."],
    ["gold.storageclass.storage.orch.io/limits.storage", undefined],
    ["configmaps", "configmaps."],
    ["count/widgets.example.com", "widgets.example.com"],
    ["count/deployments.apps", "deployments.apps"],
    ["count/events.events.orch.io", "events.events.orch.io"],
    ["storage", undefined],
    ["count/events", undefined],
    ["count/bindings", undefined],
    ["count/localsubjectaccessreviews.authorization.orch.io", undefined],
  ])("%s is of %s", (name, expected) => {
    const { group, resource } = evaluatorsOf().knowing(name)[0]?.resource ?? {};
    expect(resource === undefined ? undefined : `${resource}.${group}`).toBe(expected);
  });
});

describe("scopes of pods", () => {
  const named = (name: string): JsonObject => ({ priorityClassName: name });
  const affinity = (kind: string, term: JsonObject, rule = "requiredDuringSchedulingIgnoredDuringExecution") => ({
    affinity: { [kind]: { [rule]: [rule.startsWith("preferred") ? { weight: 1, podAffinityTerm: term } : term] } },
  });
  const asking = [container({ cpu: "1" })];
  const ends = (seconds: number): PodParts => ({ spec: { activeDeadlineSeconds: seconds } });
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  test.each<[string, string, PodParts, boolean, string?]>([
    ["Terminating", "Exists", ends(10), true],
    ["Terminating", "Exists", ends(0), true],
    ["Terminating", "Exists", {}, false],
    ["NotTerminating", "Exists", ends(10), false],
    ["NotTerminating", "Exists", {}, true],
    ["BestEffort", "Exists", {}, true],
    ["BestEffort", "Exists", { containers: asking }, false],
    ["BestEffort", "Exists", { containers: [container({ "ephemeral-storage": "1Gi" })] }, true],
    ["NotBestEffort", "Exists", {}, false],
    ["NotBestEffort", "Exists", { containers: asking }, true],
    ["NotBestEffort", "Exists", { init: asking }, true],
    ["BestEffort", "Exists", { status: { qosClass: "Burstable" } }, false],
    ["NotBestEffort", "Exists", { status: { qosClass: "Burstable" } }, true],
    ["PriorityClass", "Exists", {}, false],
    ["PriorityClass", "Exists", { spec: named("high") }, true],
    ["PriorityClass", "DoesNotExist", {}, true],
    ["PriorityClass", "DoesNotExist", { spec: named("high") }, false],
    ["PriorityClass", "In high,low", { spec: named("high") }, true],
    ["PriorityClass", "In high,low", { spec: named("other") }, false],
    ["PriorityClass", "In high,low", {}, false],
    ["PriorityClass", "NotIn high,low", { spec: named("high") }, false],
    ["PriorityClass", "NotIn high,low", { spec: named("other") }, true],
    ["PriorityClass", "NotIn high,low", {}, true],
    ["PriorityClass", "Near high", { spec: named("high") }, false],
    ["CrossNamespacePodAffinity", "Exists", {}, false, "1.22"],
    ["CrossNamespacePodAffinity", "Exists", { spec: affinity("podAffinity", { namespaces: ["a"] }) }, true, "1.22"],
    ["CrossNamespacePodAffinity", "Exists", { spec: affinity("podAntiAffinity", { namespaces: ["a"] }) }, true, "1.22"],
    ["CrossNamespacePodAffinity", "Exists", { spec: affinity("podAffinity", { namespaceSelector: {} }) }, true, "1.22"],
    [
      "CrossNamespacePodAffinity",
      "Exists",
      { spec: affinity("podAffinity", { namespaces: ["a"] }, preferred) },
      true,
      "1.22",
    ],
    ["CrossNamespacePodAffinity", "Exists", { spec: affinity("podAffinity", { namespaces: [] }) }, false, "1.22"],
    ["CrossNamespacePodAffinity", "Exists", { spec: affinity("podAffinity", { namespaces: ["a"] }) }, false, "1.21"],
    ["Unheard", "Exists", {}, false],
    ["constructor", "Exists", {}, false],
  ])("%s %s", (scopeName, how, parts, expected, ...[release]) => {
    const [operator = "", values = ""] = how.split(" ");
    const requirement: ScopeRequirement = { scopeName, operator, values: values === "" ? [] : values.split(",") };
    const evaluator = evaluatorOf("pods", release === undefined ? {} : { release });
    const object = pod(parts);
    expect(evaluator.inScope?.(object, requirement)).toBe(expected);
    expect(evaluator.inScope?.(evaluator.essence(object), requirement)).toBe(expected);
  });

  test("are those of the list and of the selector", () => {
    const matchExpressions = [{ scopeName: "PriorityClass", operator: "In", values: ["a", "b"] }];
    const scopes = scopesOf({ spec: { scopes: ["BestEffort"], scopeSelector: { matchExpressions } } });
    expect(scopesText(scopes)).toBe("[{BestEffort Exists []} {PriorityClass In [a b]}]");
    expect(scopesOf({ spec: {} })).toEqual([]);
    expect(scopesOf({})).toEqual([]);
  });

  test("are for pods alone", () => {
    expect(evaluatorOf("services").inScope).toBeUndefined();
  });
});

describe("resources that every container must set", () => {
  test.each<[string, PodParts, readonly string[], string | undefined]>([
    ["nothing where nothing of that is bounded", {}, ["pods", "requests.ephemeral-storage"], undefined],
    ["what is bounded", {}, ["pods", "cpu", "limits.memory"], "cpu,limits.memory"],
    [
      "the request that is bounded",
      { containers: [container({ cpu: "1" })] },
      ["cpu", "requests.cpu", "memory"],
      "memory",
    ],
    ["the limit that is bounded", { containers: [container({ cpu: "1" })] }, ["limits.cpu"], "limits.cpu"],
    ["what one of several has not", { containers: [container({ cpu: "1" }), {}] }, ["cpu"], "cpu"],
    ["what one that runs first has not", { containers: [container({ cpu: "1" })], init: [{}] }, ["cpu"], "cpu"],
    ["nothing more where it is zero", { containers: [container({ cpu: "0" })] }, ["cpu"], undefined],
    ["no large pages", {}, ["hugepages-2Mi", "requests.example.com/gpu"], undefined],
  ])("%s", (_what, parts, names, expected) => {
    expect(evaluatorOf("pods").missing?.(pod(parts), names)).toEqual(expected);
  });
});

describe("a resource claim counts for", () => {
  const ofClass = (name: string) => `${name}.deviceclass-devices.resource.orch.io/devices`;
  const COUNT = { "count/resourceclaims.resource.orch.io": "1" };
  const one = (deviceClassName: string, count: number) => ({ deviceClassName, allocationMode: "ExactCount", count });
  test.each<[string, readonly JsonObject[], Amounts]>([
    ["itself", [], COUNT],
    ["its devices", [{ name: "a", exactly: one("gpu", 2) }], { ...COUNT, [ofClass("gpu")]: "2" }],
    [
      "the devices of all its requests",
      [
        { name: "a", exactly: one("gpu", 2) },
        { name: "b", exactly: one("gpu", 1) },
        { name: "c", exactly: one("nic", 1) },
      ],
      { ...COUNT, [ofClass("gpu")]: "3", [ofClass("nic")]: "1" },
    ],
    [
      "as many as a claim can have when it asks for all devices",
      [{ name: "a", exactly: { deviceClassName: "gpu", allocationMode: "All" } }],
      { ...COUNT, [ofClass("gpu")]: "32" },
    ],
    [
      "the most of each class that an alternative takes",
      [{ name: "a", firstAvailable: [one("big", 1), one("small", 4), one("small", 2)] }],
      { ...COUNT, [ofClass("big")]: "1", [ofClass("small")]: "4" },
    ],
  ])("%s", (_, requests, expected) => {
    const evaluator = evaluatorOf("resourceclaims", { group: "resource.orch.io", release: "1.34" });
    const claim = { metadata: { name: "c" }, spec: { devices: { requests: [...requests] } } };
    expect(amountsOf(evaluator.usage(claim, { nowMs: NOW }))).toEqual(expected);
    expect(amountsOf(evaluator.usage(evaluator.essence(claim), { nowMs: NOW }))).toEqual(expected);
    for (const name of Object.keys(expected))
      expect(evaluatorsOf("1.34").knowing(name)[0]?.resource).toEqual(evaluator.resource);
  });
});

describe("extended resources that device classes serve", () => {
  const vocabulary = vocabularyOf("kubernetes");
  const classes = [
    { metadata: { name: "gpu" }, spec: { extendedResourceName: "example.com/gpu" } },
    { metadata: { name: "nic" }, spec: {} },
  ];
  const classResources = () => new ClassResources(classes, vocabulary);
  const evaluators = new QuotaEvaluators({ vocabulary, release: "1.36", classResources });
  const former = new QuotaEvaluators({ vocabulary, release: "1.33" });
  const claims = evaluators.of({ group: "resource.k8s.io", resource: "resourceclaims" }) as QuotaEvaluator;
  const pods = evaluators.of({ group: "", resource: "pods" }) as QuotaEvaluator;
  const IMPLICIT = "requests.deviceclass.resource.kubernetes.io/";

  test.each<[string, readonly string[], readonly string[]]>([
    [`${IMPLICIT}gpu`, ["pods", "resourceclaims"], []],
    [`${IMPLICIT}nic`, ["pods", "resourceclaims"], []],
    [`${IMPLICIT}none`, ["pods"], []],
    ["requests.example.com/gpu", ["pods", "resourceclaims"], ["pods"]],
    ["requests.example.com/other", ["pods"], ["pods"]],
    ["example.com/gpu", [], []],
    ["gpu.deviceclass.resource.k8s.io/devices", ["resourceclaims"], ["resourceclaims"]],
    ["requests.cpu", ["pods"], ["pods"]],
  ])("%s is counted for %p, and before 1.34 for %p", (name, expected, before) => {
    const of = (all: QuotaEvaluators) => all.knowing(name).map(({ resource }) => resource.resource);
    expect([of(evaluators), of(former)]).toEqual([expected, before]);
  });

  const requests = (deviceClassName: string, count: number) => [
    { name: "r", exactly: { deviceClassName, allocationMode: "ExactCount", count } },
  ];
  const MARK = { "resource.kubernetes.io/extended-resource-claim": "true" };
  const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true };
  const claim = (deviceClassName: string, count: number, metadata: JsonObject = {}): JsonObject => ({
    metadata: { name: "c", namespace: "shop", ...metadata },
    spec: { devices: { requests: requests(deviceClassName, count) } },
  });
  const extended = { annotations: MARK, ownerReferences: [owner] };
  const asking = pod({ containers: [container({ "example.com/gpu": "2", cpu: "1" })] });
  const COUNT = { "count/resourceclaims.resource.k8s.io": "1" };
  const devices = (name: string, count: string) => ({ [`${name}.deviceclass.resource.k8s.io/devices`]: count });

  test.each<[string, JsonObject, JsonObject | undefined, Amounts]>([
    [
      "a class that names a resource counts for both names",
      claim("gpu", 3),
      undefined,
      { ...COUNT, ...devices("gpu", "3"), [`${IMPLICIT}gpu`]: "3", "requests.example.com/gpu": "3" },
    ],
    [
      "a class that names none counts for its own name",
      claim("nic", 1),
      undefined,
      { ...COUNT, ...devices("nic", "1"), [`${IMPLICIT}nic`]: "1" },
    ],
    [
      "devices that the pod is charged for do not count again",
      claim("gpu", 2, extended),
      asking,
      { ...COUNT, ...devices("gpu", "2"), [`${IMPLICIT}gpu`]: "2" },
    ],
    [
      "devices beyond those of the pod count",
      claim("gpu", 5, extended),
      asking,
      { ...COUNT, ...devices("gpu", "5"), [`${IMPLICIT}gpu`]: "5", "requests.example.com/gpu": "3" },
    ],
    [
      "devices of a pod that has ended count",
      claim("gpu", 2, extended),
      { ...asking, status: { phase: "Failed" } },
      { ...COUNT, ...devices("gpu", "2"), [`${IMPLICIT}gpu`]: "2", "requests.example.com/gpu": "2" },
    ],
  ])("%s", (_, object, of, expected) => {
    for (const each of [object, claims.essence(object)]) {
      expect(amountsOf(claims.usage(each, { nowMs: NOW, pod: of }))).toEqual(expected);
    }
  });

  test("a pod counts for the devices that it asks for by the name of a class", () => {
    const object = pod({ containers: [container({ "deviceclass.resource.kubernetes.io/gpu": "2" })] });
    expect(amountsOf(pods.usage(object, { nowMs: NOW }))).toEqual({ ...LIVE, [`${IMPLICIT}gpu`]: "2" });
  });

  test.each<[string, JsonObject, readonly JsonObject[], boolean]>([
    ["that the pod names", { extendedResourceClaimStatus: { resourceClaimName: "c" } }, [], true],
    ["beside one that the pod names", { extendedResourceClaimStatus: { resourceClaimName: "d" } }, [], false],
    ["that is alone", {}, [claim("gpu", 1, { creationTimestamp: "2026-01-01T00:00:00Z" })], true],
    ["that is younger", {}, [claim("gpu", 1, { creationTimestamp: "2025-01-01T00:00:00Z" })], false],
    ["with a later name", {}, [claim("gpu", 1, { name: "b", creationTimestamp: "2026-01-01T00:00:00Z" })], false],
    ["with an earlier name", {}, [claim("gpu", 1, { name: "d", creationTimestamp: "2026-01-01T00:00:00Z" })], true],
  ])("the usage of a pod includes a claim %s: %#", (_, status, others, expected) => {
    const judged = claim("gpu", 1, { ...extended, creationTimestamp: "2026-01-01T00:00:00Z" });
    for (const each of [status, pods.essence(pod({ status }))["status"] as JsonObject | undefined]) {
      expect(includesClaim(pod({ status: each ?? {} }), judged, () => others)).toBe(expected);
    }
    expect(claims.includedBy?.(claims.essence(judged))).toEqual({ name: "p", uid: "u" });
  });

  test.each<[string, JsonObject]>([
    ["without the annotation", { ownerReferences: [owner] }],
    ["without an owner", { annotations: MARK }],
    ["of another kind", { annotations: MARK, ownerReferences: [{ ...owner, kind: "PodGroup" }] }],
    ["whose owner does not control it", { annotations: MARK, ownerReferences: [{ ...owner, controller: false }] }],
  ])("a claim %s belongs to no pod", (_, metadata) => {
    expect(claims.includedBy?.(claim("gpu", 1, metadata))).toBeUndefined();
  });
});
