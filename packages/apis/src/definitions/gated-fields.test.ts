// Fields of features that a release does not have or that are disabled.
import { describe, expect, test } from "@jest/globals";
import { nodes, persistentVolumeClaims, pods, services } from "@orch/apis-core";
import { type BuiltInResource, featuresOf } from "@orch/apis-model";
import type { ResourceDefinition } from "@orch/machinery";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { horizontalPodAutoscalers } from "../autoscaling/horizontal-pod-autoscalers";
import { cronJobs } from "../batch/cron-jobs";
import { jobs } from "../batch/jobs";
import { endpointSlices } from "../discovery/endpoint-slices";
import { priorityClasses } from "../scheduling/priority-classes";
import { csiDrivers } from "../storage/csi-drivers";
import { volumeAttachments } from "../storage/volume-attachments";
import { definitionOf } from "./definitions";
import { EVERY_RESOURCE } from "./every-resource";

const vocabulary = vocabularyOf("orch");
const schema = loadSchema(vocabulary);
const at = (resource: BuiltInResource, release: string, gates = {}) =>
  definitionOf(resource, vocabulary, schema, release, {
    features: featuresOf(release, gates),
  }) as ResourceDefinition;

const created = ({ strategy }: ResourceDefinition, object: JsonObject): JsonObject => {
  const made = structuredClone({ metadata: { name: "it" }, ...object });
  strategy.prepareForCreate?.(made);
  return made;
};

test.each<[string, BuiltInResource, JsonObject, JsonObject, off: string, on: string]>([
  [
    "the life of ended jobs",
    jobs,
    { spec: { manualSelector: true, ttlSecondsAfterFinished: 5, template: {} } },
    { spec: { manualSelector: true, template: {} } },
    "1.20",
    "1.21",
  ],
  [
    "volumes of pods in jobs of a schedule",
    cronJobs,
    { spec: { jobTemplate: { spec: { template: { spec: { volumes: [{ name: "v", ephemeral: {} }] } } } } } },
    { spec: { jobTemplate: { spec: { template: { spec: { volumes: [{ name: "v" }] } } } } } },
    "1.20",
    "1.21",
  ],
  [
    "volumes of pods",
    pods,
    { spec: { volumes: [{ name: "v", ephemeral: {} }, { name: "w" }] } },
    { spec: { volumes: [{ name: "v" }, { name: "w" }] } },
    "1.19",
    "1.23",
  ],
  [
    "metrics of containers",
    horizontalPodAutoscalers,
    { spec: { metrics: [{ type: "ContainerResource", containerResource: { name: "cpu" } }] } },
    { spec: { metrics: [{ type: "ContainerResource" }] } },
    "1.23",
    "1.19",
  ],
  [
    "states and hints of endpoints",
    endpointSlices,
    { endpoints: [{ conditions: { ready: true, serving: true, terminating: false }, hints: {} }] },
    { endpoints: [{ conditions: { ready: true } }] },
    "1.21",
    "1.24",
  ],
  [
    "both families of services",
    services,
    { spec: { clusterIPs: ["10.0.0.9", "fd00::9"], ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "RequireDualStack" } },
    { spec: { clusterIPs: ["10.0.0.9"] } },
    "1.20",
    "1.21",
  ],
  ["both families of nodes", nodes, { spec: { podCIDRs: ["a", "b"] } }, { spec: { podCIDRs: ["a"] } }, "1.20", "1.21"],
  ["topology of services", services, { spec: { topologyKeys: ["*"] } }, { spec: {} }, "1.23", "1.16"],
  [
    "sources of claims",
    persistentVolumeClaims,
    { spec: { dataSource: { kind: "Other", name: "o" } } },
    { spec: {} },
    "1.23",
    "1.24",
  ],
  [
    "what drivers know",
    csiDrivers,
    { spec: { storageCapacity: true, tokenRequests: [], requiresRepublish: true, fsGroupPolicy: "None" } },
    { spec: { fsGroupPolicy: "None" } },
    "1.20",
    "1.21",
  ],
  [
    "attachments of volumes of pods",
    volumeAttachments,
    { spec: { source: { inlineVolumeSpec: {} } } },
    { spec: { source: {} } },
    "1.16",
    "1.17",
  ],
])("%s: dropped while off, kept while on", (_what, resource, sent, dropped, off, on) => {
  const part = resource === endpointSlices ? "endpoints" : "spec";
  expect(created(at(resource, off), sent)[part]).toEqual(dropped[part]);
  expect(created(at(resource, on), sent)[part]).toEqual(sent[part]);
});

describe("an update", () => {
  const { strategy } = at(jobs, "1.20");
  const job = (spec: JsonObject): JsonObject => ({ metadata: {}, spec: { manualSelector: true, ...spec } });

  test.each([
    ["begins nothing", {}, { ttlSecondsAfterFinished: 5 }, {}],
    [
      "goes on with what there is",
      { ttlSecondsAfterFinished: 5 },
      { ttlSecondsAfterFinished: 6 },
      { ttlSecondsAfterFinished: 6 },
    ],
  ])("%s while the feature is off", (_what, before, sent, after) => {
    const next = job(sent);
    strategy.prepareForUpdate?.(next, job(before));
    expect(next["spec"]).toEqual(job(after)["spec"]);
  });
});

test("a gate that is switched by name decides", () => {
  const sent = { spec: { manualSelector: true, ttlSecondsAfterFinished: 5 } };
  expect(created(at(jobs, "1.20", { TTLAfterFinished: true }), sent)["spec"]).toEqual(sent.spec);
});

test.each<[BuiltInResource, JsonObject, older: string, JsonObject, newer: string, JsonObject]>([
  [services, { spec: { type: "ClusterIP" } }, "1.21", {}, "1.22", { internalTrafficPolicy: "Cluster" }],
  [priorityClasses, {}, "1.18", {}, "1.19", { preemptionPolicy: "PreemptLowerPriority" }],
  [
    services,
    { spec: { type: "LoadBalancer" } },
    "1.20",
    {},
    "1.23",
    { internalTrafficPolicy: "Cluster", allocateLoadBalancerNodePorts: true },
  ],
  [services, { spec: { type: "ExternalName" } }, "1.20", {}, "1.23", {}],
  [jobs, { spec: {} }, "1.21", {}, "1.23", { completionMode: "NonIndexed", suspend: false }],
  [
    csiDrivers,
    { spec: {} },
    "1.18",
    { volumeLifecycleModes: ["Persistent"] },
    "1.23",
    { requiresRepublish: false, storageCapacity: false, fsGroupPolicy: "ReadWriteOnceWithFSType" },
  ],
])("release by release a kind is given more (%#)", (resource, sent, older, few, newer, more) => {
  const defaulted = (release: string) => {
    const object = structuredClone(sent);
    at(resource, release).storage.type.applyDefaults(object);
    return (object["spec"] ?? object) as JsonObject;
  };
  expect(defaulted(older)).toMatchObject(few);
  expect(defaulted(newer)).toMatchObject(more);
  const added = Object.keys(more).filter((name) => !(name in few));
  expect(Object.keys(defaulted(older)).filter((name) => added.includes(name))).toEqual([]);
});

test("every gated field is a field of its kind", () => {
  const misses = EVERY_RESOURCE.flatMap((resource: BuiltInResource) => {
    const hub = resource.versions.find(({ conversion }) => conversion === undefined);
    const definition = at(resource, hub?.introduced ?? "1.23");
    const paths = Object.values(resource.rules.gated ?? {}).flat();
    return paths.filter((path) => {
      const names = path.split(".");
      const probe = names.reduceRight<JsonObject | null>((inner, name) => {
        if (name.endsWith("[]")) return { [name.slice(0, -2)]: [inner ?? {}] };
        return name.endsWith("{}") ? { [name.slice(0, -2)]: { x: inner ?? {} } } : { [name]: inner };
      }, null) as JsonObject;
      const { apiVersion, kind } = definition.storage;
      const { versions, formerVersions = [] } = definition;
      const ofHub = [...versions, ...formerVersions].find(({ toHub }) => toHub === undefined)?.type;
      return ofHub?.decode({ apiVersion, kind, ...probe }).problems.length !== 0;
    });
  });
  expect(misses).toEqual([]);
});
