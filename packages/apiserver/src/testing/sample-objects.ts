// One object of every stored kind, for tests that go through all kinds: the bases of the validation tables, and objects
// of kinds that have none there. Another version of an object is made by the conversions of its kind.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ResourceDefinition, ServedVersion } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

const BASES = join(__dirname, "../../../apis/testdata/validation");

const selector = { matchLabels: { app: "x" } };
const resourceRules = [
  { operations: ["CREATE"], apiGroups: ["apps"], apiVersions: ["v1"], resources: ["deployments"] },
];
const ADMISSION = "admissionregistration.orch.io/v1";
const NETWORKING = "networking.orch.io/v1";

const RESOURCE = "resource.orch.io/v1";
const RESOURCE_ALPHA = "resource.orch.io/v1alpha3";
const devices = { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu.example.com" } }] };
const inNamespace = { name: "it", namespace: "ns" };

const OTHERS: readonly JsonObject[] = [
  {
    apiVersion: RESOURCE,
    kind: "DeviceClass",
    metadata: { name: "gpu.example.com" },
    spec: { selectors: [{ cel: { expression: "device.driver == 'gpu.example.com'" } }] },
  },
  { apiVersion: RESOURCE, kind: "ResourceClaim", metadata: inNamespace, spec: { devices } },
  { apiVersion: RESOURCE, kind: "ResourceClaimTemplate", metadata: inNamespace, spec: { spec: { devices } } },
  {
    apiVersion: RESOURCE,
    kind: "ResourceSlice",
    metadata: { name: "it" },
    spec: {
      driver: "gpu.example.com",
      nodeName: "node-1",
      pool: { name: "node-1", generation: 1, resourceSliceCount: 1 },
      devices: [{ name: "gpu-0", attributes: { model: { string: "a" } }, capacity: { memory: { value: "8Gi" } } }],
    },
  },
  {
    apiVersion: RESOURCE_ALPHA,
    kind: "DeviceTaintRule",
    metadata: { name: "it" },
    spec: {
      deviceSelector: { driver: "gpu.example.com" },
      taint: { key: "example.com/broken", value: "yes", effect: "NoSchedule" },
    },
  },
  {
    apiVersion: RESOURCE_ALPHA,
    kind: "ResourcePoolStatusRequest",
    metadata: { name: "it" },
    spec: { driver: "gpu.example.com" },
  },
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "it" } },
  {
    apiVersion: ADMISSION,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "it" },
    spec: { matchConstraints: { resourceRules }, validations: [{ expression: "object.spec.replicas < 5" }] },
  },
  {
    apiVersion: ADMISSION,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: "it" },
    spec: { policyName: "none", validationActions: ["Audit"] },
  },
  {
    apiVersion: ADMISSION,
    kind: "MutatingAdmissionPolicy",
    metadata: { name: "it" },
    spec: {
      matchConstraints: { resourceRules },
      reinvocationPolicy: "Never",
      mutations: [{ patchType: "JSONPatch", jsonPatch: { expression: "[]" } }],
    },
  },
  {
    apiVersion: ADMISSION,
    kind: "MutatingAdmissionPolicyBinding",
    metadata: { name: "it" },
    spec: { policyName: "none" },
  },
  {
    apiVersion: NETWORKING,
    kind: "IPAddress",
    metadata: { name: "192.0.2.7" },
    spec: { parentRef: { resource: "services", namespace: "ns", name: "it" } },
  },
  { apiVersion: NETWORKING, kind: "ServiceCIDR", metadata: { name: "it" }, spec: { cidrs: ["192.0.2.0/24"] } },
  {
    apiVersion: "scheduling.orch.io/v1alpha3",
    kind: "CompositePodGroup",
    metadata: { name: "it", namespace: "ns" },
    spec: { workloadRef: { workloadName: "w", templateName: "t" }, schedulingPolicy: { basic: {} } },
  },
  {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "it", namespace: "ns" },
    spec: {
      serviceName: "s",
      selector,
      template: { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i:1" }] } },
    },
  },
];

/** The first object of a kind that a release can convert is its sample. */
const SAMPLES: readonly JsonObject[] = [
  ...OTHERS,
  ...readdirSync(BASES)
    .filter((name) => name.startsWith("bases."))
    .flatMap(basesIn),
];

function basesIn(name: string): readonly JsonObject[] {
  return Object.values(JSON.parse(readFileSync(join(BASES, name), "utf8")) as Record<string, JsonObject>);
}

/**
 * Returns the sample of a kind in one of its versions.
 * @throws Error for a kind that has no sample
 */
export function sampleOf(
  { kind, versions, formerVersions = [] }: ResourceDefinition,
  wanted: ServedVersion,
): JsonObject {
  const known = [wanted, ...versions, ...formerVersions];
  for (const version of known) {
    const found = SAMPLES.find((each) => each["kind"] === kind && each["apiVersion"] === version.apiVersion);
    if (found !== undefined) return converted(structuredClone(found), version, wanted);
  }
  throw new Error(`testing/sample-objects.ts has no object of the kind ${kind}`);
}

function converted(object: JsonObject, from: ServedVersion, to: ServedVersion): JsonObject {
  if (from.apiVersion === to.apiVersion) return object;
  const decoded = from.type.decode(object).value;
  const hub = from.toHub?.(decoded) ?? decoded;
  return { ...(to.fromHub?.(hub) ?? hub), apiVersion: to.apiVersion, kind: to.kind };
}
