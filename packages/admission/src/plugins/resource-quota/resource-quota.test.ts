// Admitted usage and refusals of quotas. Source: Kubernetes documentation, "Resource Quotas".
import { describe, expect, test } from "@jest/globals";
import { metaOf, type QuotaReservation } from "@orch/machinery";
import type { JsonObject, JsonValue } from "@orch/schema";
import { createAdmissionChain } from "../../chain/chain";
import type { AdmissionDependencies } from "../../contract/dependencies";
import { fakeDependencies, type RequestParts, refusalOf, requestOf } from "../../testing/admission-request";
import { storedObjects } from "../../testing/stored-objects";
import { resourceQuota } from "./resource-quota";

type Amounts = Readonly<Record<string, string>>;

interface QuotaParts {
  readonly hard: Amounts;
  readonly used?: Amounts;
  readonly spec?: JsonObject;
}

const quotaOf = (name: string, { hard, used, spec = {} }: QuotaParts): JsonObject => ({
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name, namespace: "shop" },
  spec: { hard, ...spec },
  status: { hard, ...(used && { used }) },
});

const pod = (spec: JsonObject = {}): RequestParts => ({
  plural: "pods",
  name: "p",
  object: { metadata: { name: "p" }, spec: { containers: [{}], ...spec } },
});
const asking = (requests: Amounts, limits: Amounts = {}): JsonObject => ({
  containers: [{ resources: { requests, limits } }],
});
const configMap: RequestParts = { object: { metadata: { name: "a" } } };
const service = (spec: JsonObject): RequestParts => ({
  plural: "services",
  name: "s",
  object: { metadata: { name: "s" }, spec },
});
const claim = (storage: string, more: JsonObject = {}): RequestParts => ({
  plural: "persistentvolumeclaims",
  name: "c",
  object: { metadata: { name: "c" }, spec: { resources: { requests: { storage } }, ...more } },
});
const from = (parts: RequestParts, old: RequestParts): RequestParts => ({
  ...parts,
  operation: "UPDATE",
  oldObject: { ...(old.object as JsonObject), metadata: { name: "s", resourceVersion: "7" } },
});
const widget: RequestParts = {
  group: "example.com",
  plural: "widgets",
  name: "w",
  object: { metadata: { name: "w" } },
};

type Quotas = Readonly<Record<string, QuotaParts>>;

function made(quotas: Quotas, configuration?: JsonValue, parts: Partial<AdmissionDependencies> = {}) {
  const dependencies = fakeDependencies({
    ...storedObjects(Object.entries(quotas).map(([name, quota]) => quotaOf(name, quota))),
    ...parts,
  });
  const configurations = new Map(
    configuration === undefined ? [] : [["ResourceQuota", { value: configuration, from: "a test" }]],
  );
  return createAdmissionChain({ plugins: [resourceQuota], dependencies, configurations });
}

/** Returns the refusal, or the usage of each quota with the object. */
async function judged(
  quotas: Quotas,
  parts: RequestParts,
  configuration?: JsonValue,
  dependencies: Partial<AdmissionDependencies> = {},
) {
  const request = requestOf(parts);
  const refusal = await refusalOf(() => made(quotas, configuration, dependencies).validate(request));
  if (refusal !== undefined) return `${refusal.code} ${refusal.message}`;
  return Object.fromEntries(
    request.reservations.map((reservation) => [reservation.name, usedOf(reservation.apply(reservation.seen))]),
  );
}

const usedOf = (quota: JsonObject) => (quota["status"] as JsonObject)["used"];

describe("an object is let in, and charged to the quotas that count it", () => {
  const cpu = { hard: { "requests.cpu": "1" }, used: { "requests.cpu": "900m" } };
  test.each<[string, Quotas, RequestParts, Readonly<Record<string, Amounts>>]>([
    ["none, where there is none", {}, pod(), {}],
    ["one that has room", { q: { hard: { pods: "2" }, used: { pods: "1" } } }, pod(), { q: { pods: "2" } }],
    ["up to the last of it", { q: cpu }, pod(asking({ cpu: "100m" })), { q: { "requests.cpu": "1" } }],
    [
      "what it counts and nothing else",
      { q: { hard: { "count/pods": "5", memory: "1Gi" }, used: { "count/pods": "0", memory: "0", x: "1" } } },
      pod(asking({ memory: "512Mi", cpu: "2" })),
      { q: { "count/pods": "1", memory: "512Mi", x: "1" } },
    ],
    [
      "several",
      {
        a: { hard: { pods: "9" }, used: { pods: "1" } },
        b: { hard: { "count/pods": "9" }, used: { "count/pods": "3" } },
      },
      pod(),
      { a: { pods: "2" }, b: { "count/pods": "4" } },
    ],
    ["none that counts other things", { q: { hard: { services: "0" }, used: { services: "0" } } }, pod(), {}],
    ["none whose limits are not in force yet", { q: { hard: {}, spec: { hard: { pods: "0" } } } }, pod(), {}],
    [
      "none in whose scope it is not",
      { q: { hard: { pods: "0" }, used: { pods: "0" }, spec: { scopes: ["Terminating"] } } },
      pod(),
      {},
    ],
    [
      "one in whose scope it is",
      { q: { hard: { pods: "1" }, used: { pods: "0" }, spec: { scopes: ["NotTerminating", "BestEffort"] } } },
      pod(),
      { q: { pods: "1" } },
    ],
    [
      "a config map",
      { q: { hard: { configmaps: "1" }, used: { configmaps: "0" } } },
      configMap,
      { q: { configmaps: "1" } },
    ],
    [
      "a config map, by both its names",
      { q: { hard: { configmaps: "1", "count/configmaps": "4" }, used: { configmaps: "0", "count/configmaps": "2" } } },
      configMap,
      { q: { configmaps: "1", "count/configmaps": "3" } },
    ],
    [
      "a custom object",
      { q: { hard: { "count/widgets.example.com": "1" }, used: { "count/widgets.example.com": "0" } } },
      widget,
      { q: { "count/widgets.example.com": "1" } },
    ],
    [
      "a quota itself",
      { q: { hard: { resourcequotas: "2" }, used: { resourcequotas: "1" } } },
      { plural: "resourcequotas", object: { metadata: { name: "a" } } },
      { q: { resourcequotas: "2" } },
    ],
    [
      "the ports of a service",
      { q: { hard: { "services.nodeports": "4", services: "9" }, used: { "services.nodeports": "2", services: "1" } } },
      service({ type: "NodePort", ports: [{ port: 1 }, { port: 2 }] }),
      { q: { "services.nodeports": "4", services: "2" } },
    ],
    [
      "none for what a service has not",
      { q: { hard: { "services.loadbalancers": "0" }, used: { "services.loadbalancers": "0" } } },
      service({ type: "NodePort", ports: [{ port: 1 }] }),
      {},
    ],
    [
      "the ports that an update adds",
      { q: { hard: { "services.nodeports": "9", services: "1" }, used: { "services.nodeports": "1", services: "1" } } },
      from(service({ type: "NodePort", ports: [{}, {}, {}] }), service({ type: "NodePort", ports: [{}] })),
      { q: { "services.nodeports": "3", services: "1" } },
    ],
    [
      "none for an update that adds nothing",
      { q: { hard: { "services.nodeports": "0" }, used: { "services.nodeports": "7" } } },
      from(service({ type: "NodePort", ports: [{}] }), service({ type: "NodePort", ports: [{}, {}] })),
      {},
    ],
    [
      "what a claim grows by",
      { q: { hard: { "requests.storage": "10Gi" }, used: { "requests.storage": "5Gi" } } },
      from(claim("3Gi"), claim("1Gi")),
      { q: { "requests.storage": "7Gi" } },
    ],
    [
      "a claim, in its class",
      {
        q: {
          hard: { "gold.storageclass.storage.orch.io/requests.storage": "5Gi" },
          used: { "gold.storageclass.storage.orch.io/requests.storage": "1Gi" },
        },
      },
      claim("1Gi", { storageClassName: "gold" }),
      { q: { "gold.storageclass.storage.orch.io/requests.storage": "2Gi" } },
    ],
    [
      "though the limit was lowered below what is used, where it uses none of that",
      { q: { hard: { "requests.cpu": "1", pods: "5" }, used: { "requests.cpu": "3", pods: "1" } } },
      pod(asking({ cpu: "0" })),
      { q: { "requests.cpu": "3", pods: "2" } },
    ],
  ])("%s", async (_what, quotas, parts, expected) => {
    expect(await judged(quotas, parts)).toEqual(expected);
  });
});

describe("an update of a pod", () => {
  const RELEASE = { before: "1.32", since: "1.33" };
  const scoped = (scope: string, hard: Amounts, used: Amounts): QuotaParts => ({
    hard,
    used,
    spec: { scopes: [scope] },
  });
  const changed = (spec: JsonObject, old: JsonObject, subresource = ""): RequestParts => ({
    ...from(pod(spec), pod(old)),
    subresource,
  });
  const full = (scope: string) => ({
    q: scoped(scope, { pods: "1", "requests.cpu": "1" }, { pods: "1", "requests.cpu": "500m" }),
  });
  const cpu = asking({ cpu: "100m" });
  const ending = { ...cpu, activeDeadlineSeconds: 5 };
  const refused = '403 pods "p" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1';

  test.each<[string, Quotas, RequestParts, unknown]>([
    ["that moves it into the scope of a full quota is refused", full("Terminating"), changed(ending, cpu), refused],
    [
      "that moves it into the scope of a quota charges the whole pod",
      { q: scoped("Terminating", { pods: "2", "requests.cpu": "1" }, { pods: "1", "requests.cpu": "500m" }) },
      changed(ending, cpu),
      { q: { pods: "2", "requests.cpu": "600m" } },
    ],
    [
      "that leaves it in a full scope is let in",
      full("Terminating"),
      changed({ ...ending, activeDeadlineSeconds: 4 }, ending),
      {},
    ],
    ["that moves it out of a full scope is let in", full("NotTerminating"), changed(ending, cpu), {}],
    [
      "that moves it between scopes is let in by a full quota without one",
      { q: { hard: { pods: "1" }, used: { pods: "1" } } },
      changed(ending, cpu),
      {},
    ],
    [
      "that moves it is told that a quota is not counted yet",
      { q: { hard: { pods: "9" }, spec: { scopes: ["Terminating"] } } },
      changed(ending, cpu),
      '403 pods "p" is forbidden: status unknown for quota: q, resources: pods',
    ],
    ["of its labels is not looked at", { q: { hard: { pods: "0" } } }, changed(cpu, cpu), {}],
    [
      "that resizes it charges what it grows by",
      { q: { hard: { "requests.cpu": "1" }, used: { "requests.cpu": "500m" } } },
      changed(asking({ cpu: "300m" }), cpu, "resize"),
      { q: { "requests.cpu": "700m" } },
    ],
    [
      "that resizes it beyond a quota is refused",
      { q: { hard: { "requests.cpu": "1" }, used: { "requests.cpu": "900m" } } },
      changed(asking({ cpu: "300m" }), cpu, "resize"),
      '403 pods "p" is forbidden: exceeded quota: q, requested: requests.cpu=200m, used: requests.cpu=900m, limited: requests.cpu=1',
    ],
    ["of its status is not looked at", full("Terminating"), changed(ending, cpu, "status"), {}],
  ])("%s", async (_what, quotas, parts, expected) => {
    expect(await judged(quotas, parts, undefined, { release: RELEASE.since })).toEqual(expected);
    expect(await judged(quotas, parts, undefined, { release: RELEASE.before })).toEqual({});
  });
});

test.each<[string, string]>([
  ["1.23", "limits.cpu,limits.memory"],
  ["1.24", "limits.cpu for: a,b; limits.memory for: a,b,first"],
  ["1.36", "limits.cpu for: a,b; limits.memory for: a,b,first"],
])("at %s a refusal names what containers must specify: %s", async (release, missing) => {
  const quotas = { q: { hard: { "limits.memory": "1", "limits.cpu": "1", pods: "9" }, used: { pods: "0" } } };
  const initContainers = [{ name: "first", resources: { limits: { cpu: "1" } } }];
  const parts = pod({ containers: [{ name: "b" }, { name: "a" }], initContainers });
  expect(await judged(quotas, parts, undefined, { release })).toBe(
    `403 pods "p" is forbidden: failed quota: q: must specify ${missing}`,
  );
});

describe("objects that are not counted are not evaluated", () => {
  const full: Quotas = {
    q: {
      hard: {
        pods: "0",
        "count/bindings": "0",
        "count/events": "0",
        "count/configmaps": "0",
        "count/events.events.orch.io": "0",
      },
      used: {
        pods: "0",
        "count/bindings": "0",
        "count/events": "0",
        "count/configmaps": "0",
        "count/events.events.orch.io": "0",
      },
    },
  };
  const object = { metadata: { name: "a" } };
  test.each<[string, RequestParts]>([
    ["parts of objects", { ...pod(), subresource: "eviction" }],
    ["objects of the cluster", { ...configMap, namespace: "" }],
    ["bindings", { plural: "bindings", object }],
    ["events of the core", { plural: "events", object }],
    ["components", { plural: "componentstatuses", object }],
    ["questions about access", { group: "authorization.orch.io", plural: "localsubjectaccessreviews", object }],
    ["updates of objects that are counted one by one", { ...configMap, operation: "UPDATE", oldObject: object }],
    ["updates of pods", { ...pod(), operation: "UPDATE", oldObject: object }],
    ["deletions", { ...configMap, operation: "DELETE", object: undefined, oldObject: object }],
    ["objects of other namespaces", { ...configMap, namespace: "old" }],
  ])("%s", async (_what, parts) => {
    expect(await judged(full, parts)).toEqual({});
  });

  test("but events of their own group are", async () => {
    expect(await judged(full, { group: "events.orch.io", plural: "events", object })).toMatch(
      /^403 events\.events\.orch\.io "a" is forbidden: exceeded quota: q, requested: count\/events\.events\.orch\.io=1,/,
    );
  });
});

describe("an object is refused", () => {
  const forbiddenPod = '403 pods "p" is forbidden:';
  const spent = { hard: { pods: "3" }, used: { pods: "3" } };
  test.each<[string, Quotas, RequestParts, string]>([
    [
      "that is one too many",
      { q: spent },
      pod(),
      `${forbiddenPod} exceeded quota: q, requested: pods=1, used: pods=3, limited: pods=3`,
    ],
    [
      "for each amount that is too much, in order of their names, and for none that is not",
      {
        q: {
          hard: { "requests.memory": "1Gi", "requests.cpu": "1", pods: "9" },
          used: { "requests.memory": "1000Mi", "requests.cpu": "500m", pods: "2" },
        },
      },
      pod(asking({ cpu: "600m", memory: "100Mi" })),
      `${forbiddenPod} exceeded quota: q, requested: requests.cpu=600m,requests.memory=100Mi, used: requests.cpu=500m,requests.memory=1000Mi, limited: requests.cpu=1,requests.memory=1Gi`,
    ],
    [
      "by the first of several that have no room",
      { b: spent, a: { hard: { "count/pods": "0" }, used: { "count/pods": "0" } }, c: spent },
      pod(),
      `${forbiddenPod} exceeded quota: a, requested: count/pods=1, used: count/pods=0, limited: count/pods=0`,
    ],
    [
      "whose containers do not say what they take",
      { q: { hard: { cpu: "1" }, used: { cpu: "0" } } },
      pod(),
      `${forbiddenPod} failed quota: q: must specify cpu`,
    ],
    [
      "for each that they do not say",
      { q: { hard: { "limits.memory": "1", cpu: "1", memory: "1" }, used: { cpu: "0" } } },
      pod(asking({ cpu: "1" })),
      `${forbiddenPod} failed quota: q: must specify limits.memory,memory`,
    ],
    [
      "that says it but for what runs first",
      { q: { hard: { "limits.cpu": "1" }, used: { "limits.cpu": "0" } } },
      pod({ ...asking({}, { cpu: "1" }), initContainers: [{}] }),
      `${forbiddenPod} failed quota: q: must specify limits.cpu`,
    ],
    [
      "while nobody has counted yet",
      { q: { hard: { pods: "1" } } },
      pod(),
      `${forbiddenPod} status unknown for quota: q, resources: pods`,
    ],
    [
      "while not everything has been counted",
      { q: { hard: { pods: "9", "count/pods": "9" }, used: { pods: "1" } } },
      pod(),
      `${forbiddenPod} status unknown for quota: q, resources: count/pods,pods`,
    ],
    [
      "by what one quota does not know before what another has no room for",
      { a: spent, b: { hard: { pods: "9" } } },
      pod(),
      `${forbiddenPod} status unknown for quota: b, resources: pods`,
    ],
    [
      "whose update changes nothing, while nobody has counted yet",
      { q: { hard: { services: "1" } } },
      from(service({ type: "ClusterIP" }), service({ type: "ClusterIP" })),
      '403 services "s" is forbidden: status unknown for quota: q, resources: services',
    ],
    [
      "that uses less than nothing",
      { q: { hard: { "requests.storage": "1Gi" }, used: { "requests.storage": "0" } } },
      claim("-1Gi"),
      '403 persistentvolumeclaims "c" is forbidden: quota usage is negative for resource(s): requests.storage',
    ],
    [
      "whose former state is not known",
      { q: { hard: { services: "1" }, used: { services: "0" } } },
      { ...service({ type: "ClusterIP" }), operation: "UPDATE" },
      '403 services "s" is forbidden: unable to get previous usage since prior version of object was not found',
    ],
    [
      "a port too many by an update",
      { q: { hard: { "services.nodeports": "3" }, used: { "services.nodeports": "2" } } },
      from(service({ type: "NodePort", ports: [{}, {}, {}] }), service({ type: "NodePort", ports: [{}] })),
      '403 services "s" is forbidden: exceeded quota: q, requested: services.nodeports=2, used: services.nodeports=2, limited: services.nodeports=3',
    ],
    [
      "a load balancer too many",
      { q: { hard: { "services.loadbalancers": "1" }, used: { "services.loadbalancers": "1" } } },
      service({ type: "LoadBalancer", ports: [{}] }),
      '403 services "s" is forbidden: exceeded quota: q, requested: services.loadbalancers=1, used: services.loadbalancers=1, limited: services.loadbalancers=1',
    ],
    [
      "a custom object too many",
      { q: { hard: { "count/widgets.example.com": "2" }, used: { "count/widgets.example.com": "2" } } },
      widget,
      '403 widgets.example.com "w" is forbidden: exceeded quota: q, requested: count/widgets.example.com=1, used: count/widgets.example.com=2, limited: count/widgets.example.com=2',
    ],
    [
      "a secret too many, before it has a name",
      { q: { hard: { secrets: "1" }, used: { secrets: "1" } } },
      { plural: "secrets", name: "", object: { metadata: { generateName: "s-" } } },
      '403 secrets "s-" is forbidden: exceeded quota: q, requested: secrets=1, used: secrets=1, limited: secrets=1',
    ],
    [
      "too much of a class",
      {
        q: {
          hard: { "gold.storageclass.storage.orch.io/persistentvolumeclaims": "0" },
          used: { "gold.storageclass.storage.orch.io/persistentvolumeclaims": "0" },
        },
      },
      claim("1Gi", { storageClassName: "gold" }),
      '403 persistentvolumeclaims "c" is forbidden: exceeded quota: q, requested: gold.storageclass.storage.orch.io/persistentvolumeclaims=1, used: gold.storageclass.storage.orch.io/persistentvolumeclaims=0, limited: gold.storageclass.storage.orch.io/persistentvolumeclaims=0',
    ],
    [
      "in a scope that is full",
      {
        q: {
          hard: { pods: "0" },
          used: { pods: "0" },
          spec: {
            scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }] },
          },
        },
      },
      pod({ priorityClassName: "high" }),
      `${forbiddenPod} exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0`,
    ],
  ])("%s", async (_what, quotas, parts, expected) => {
    expect(await judged(quotas, parts)).toBe(expected);
  });

  test("with its resource and name in the details", async () => {
    const refusal = await refusalOf(() => made({ q: spent }).validate(requestOf(pod())));
    expect(refusal?.details).toEqual({ name: "p", kind: "pods" });
  });
});

describe("limited resources", () => {
  const storage = ".storageclass.storage.orch.io/requests.storage";
  const limitedResources = [
    { resource: "persistentvolumeclaims", matchContains: [storage] },
    { apiGroup: "example.com", resource: "widgets", matchContains: ["widgets"] },
    { resource: "pods", matchScopes: [{ scopeName: "PriorityClass", operator: "In", values: ["system"] }] },
  ];
  const forms: readonly (readonly [string, string])[] = [
    ["apiserver.config.orch.io/v1", "ResourceQuotaConfiguration"],
    ["resourcequota.admission.orch.io/v1beta1", "Configuration"],
    ["resourcequota.admission.orch.io/v1alpha1", "Configuration"],
  ];
  const goldName = `gold${storage}`;
  const gold = claim("1Gi", { storageClassName: "gold" });
  const system = pod({ priorityClassName: "system" });
  const scoped = (operator: string, values: string[]): JsonObject => ({
    scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator, values }] },
  });
  const rows: readonly [string, Quotas, RequestParts, object | string][] = [
    [
      "is refused where no quota bounds it",
      {},
      gold,
      `403 persistentvolumeclaims "c" is forbidden: insufficient quota to consume: ${goldName}`,
    ],
    [
      "is let in where one does",
      { q: { hard: { [goldName]: "1Gi" }, used: { [goldName]: "0" } } },
      gold,
      { q: { [goldName]: "1Gi" } },
    ],
    ["is nobody's matter where it is not used", {}, claim("1Gi"), {}],
    ["may be another resource's without limits", {}, configMap, {}],
    [
      "may be custom objects",
      {},
      widget,
      '403 widgets.example.com "w" is forbidden: insufficient quota to consume: count/widgets.example.com',
    ],
    [
      "may be a scope that no quota has",
      {},
      system,
      '403 pods "p" is forbidden: insufficient quota to match these scopes: [{PriorityClass In [system]}]',
    ],
    [
      "may be a scope, which a quota for others does not cover",
      { q: { hard: { pods: "9" }, used: { pods: "0" }, spec: scoped("In", ["high"]) } },
      system,
      '403 pods "p" is forbidden: insufficient quota to match these scopes: [{PriorityClass In [system]}]',
    ],
    [
      "may be a scope that a quota covers",
      { q: { hard: { pods: "9" }, used: { pods: "0" }, spec: scoped("Exists", []) } },
      system,
      { q: { pods: "1" } },
    ],
    ["leaves pods outside the scope alone", {}, pod({ priorityClassName: "other" }), {}],
  ];
  test.each(forms.flatMap((form) => rows.map((row) => [form[0], row[0], form, row] as const)))(
    "limits by %s %s",
    async (_version, _what, [apiVersion, kind], [, quotas, parts, expected]) => {
      expect(await judged(quotas, parts, { apiVersion, kind, limitedResources })).toEqual(expected);
    },
  );

  test.each<[string, JsonValue, string]>([
    ["no object", ["x"], "undefined undefined is not a supported configuration; must be one of"],
    [
      "another kind",
      { apiVersion: forms[0]?.[0] ?? "", kind: "Configuration" },
      '"apiserver.config.orch.io/v1" "Configuration" is not a supported configuration',
    ],
    [
      "another version",
      { apiVersion: "apiserver.config.orch.io/v2", kind: "ResourceQuotaConfiguration" },
      "is not a supported configuration",
    ],
    ["no resource", configured([{ apiGroup: "apps" }]), "limitedResources[0].resource: Required value"],
    ["no list", configured("x"), "limitedResources: expected a list of objects"],
    ["no text", configured([{ resource: 7 }]), "limitedResources[0].resource: expected a string"],
    [
      "no texts",
      configured([{ resource: "pods", matchContains: [1] }]),
      "limitedResources[0].matchContains: expected a list of strings",
    ],
    [
      "no scopes",
      configured([{ resource: "pods", matchScopes: ["x"] }]),
      "limitedResources[0].matchScopes: expected a list of objects",
    ],
  ])("is not said by %s", (_what, configuration, expected) => {
    expect(() => made({}, configuration)).toThrow(expected);
  });
});

function configured(limitedResources: JsonValue): JsonObject {
  return { apiVersion: "apiserver.config.orch.io/v1", kind: "ResourceQuotaConfiguration", limitedResources };
}

describe("a stale quota in the cache", () => {
  const seen = quotaOf("q", { hard: { pods: "1" }, used: { pods: "1" } });
  function behind(inStore: JsonObject | undefined) {
    const { objects } = storedObjects([seen]);
    return made({}, undefined, { objects: { ...objects, inStore: async () => inStore } });
  }

  test("the store's newer quota admits the request", async () => {
    const request = requestOf(pod());
    const now = quotaOf("q", { hard: { pods: "1" }, used: { pods: "0" } });
    expect(await refusalOf(() => behind(now).validate(request))).toBeUndefined();
    expect(request.reservations.map(({ seen }) => seen)).toEqual([now]);
  });

  test("a deleted quota does not reject the request", async () => {
    const request = requestOf(pod());
    expect(await refusalOf(() => behind(undefined).validate(request))).toBeUndefined();
    expect(request.reservations).toEqual([]);
  });

  test("a refusal uses the quota in the store", async () => {
    const now = quotaOf("q", { hard: { pods: "5" }, used: { pods: "5" } });
    expect((await refusalOf(() => behind(now).validate(requestOf(pod()))))?.message).toContain(
      "used: pods=5, limited: pods=5",
    );
  });

  async function charged(): Promise<QuotaReservation> {
    const request = requestOf(pod());
    await made({ q: { hard: { pods: "2" }, used: { pods: "0" } } }).validate(request);
    expect(request.reservations).toHaveLength(1);
    return request.reservations[0] as QuotaReservation;
  }

  test("a charge is decided anew for what the quota is by then", async () => {
    const { apply, seen } = await charged();
    expect(usedOf(apply(quotaOf("q", { hard: { pods: "9" }, used: { pods: "7" } })))).toEqual({ pods: "8" });
    expect(usedOf(seen)).toEqual({ pods: "0" });
    const other = quotaOf("q", { hard: { services: "0" }, used: { services: "0" } });
    expect(apply(other)).toBe(other);
    expect(() => apply(quotaOf("q", { hard: { pods: "7" }, used: { pods: "7" } }))).toThrow("exceeded quota: q");
    expect(() => apply(quotaOf("q", { hard: { pods: "7" } }))).toThrow("status unknown for quota: q, resources: pods");
  });

  test("a charge keeps all else that the quota says", async () => {
    const { apply, seen } = await charged();
    const next = apply({ ...seen, metadata: { ...(seen["metadata"] as JsonObject), labels: { a: "b" } } });
    expect(metaOf(next).labels).toEqual({ a: "b" });
    expect((next["status"] as JsonObject)["hard"]).toEqual({ pods: "2" });
  });

  test("a charge that comes too late says so", async () => {
    expect((await charged()).late()).toMatchObject({
      code: 500,
      message: "Internal error occurred: resource quota evaluation timed out",
    });
  });

  test("a dry run is judged, and charged nothing", async () => {
    const request = requestOf({ ...pod(), dryRun: true });
    await made({ q: { hard: { pods: "2" }, used: { pods: "0" } } }).validate(request);
    expect(request.reservations).toEqual([]);
    const full = made({ q: { hard: { pods: "2" }, used: { pods: "2" } } });
    expect((await refusalOf(() => full.validate(requestOf({ ...pod(), dryRun: true }))))?.code).toBe(403);
  });

  test("where it has to be waited for, the decision waits", async () => {
    const { objects } = storedObjects([seen]);
    const lister = { in: async () => [seen], all: async () => [seen], find: async () => seen };
    const chain = made({}, undefined, { objects: { ...objects, lister: () => lister } });
    expect((await refusalOf(() => chain.validate(requestOf(pod()))))?.message).toContain("exceeded quota: q");
  });
});
