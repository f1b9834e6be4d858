// Rules written as functions, for the kinds that have no test file of their own.
import { describe, expect, test } from "@jest/globals";
import { limitRanges, persistentVolumeClaims, pods, qualityOfService, secrets, serviceAccounts } from "@orch/apis-core";
import type { BuiltInResource } from "@orch/apis-model";
import type { ResourceDefinition } from "@orch/machinery";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { customResourceDefinitions } from "./apiextensions/custom-resource-definitions";
import { apiServices } from "./apiregistration/api-services";
import { daemonSets } from "./apps/daemon-sets";
import { TEMPLATE_GENERATION } from "./apps/template-generation";
import { jobs } from "./batch/jobs";
import { definitionOf } from "./definitions/definitions";
import { priorityClasses } from "./scheduling/priority-classes";
import { volumeAttachments } from "./storage/volume-attachments";

const request = {
  user: { name: "ann", groups: [] },
  version: { group: "", version: "v1" },
  now: "2024-05-01T12:00:00Z",
};
const vocabulary = vocabularyOf("orch");
const schema = loadSchema(vocabulary);
const rulesOf = (resource: BuiltInResource) =>
  (definitionOf(resource, vocabulary, schema, "1.23") as ResourceDefinition).strategy;

function created(resource: BuiltInResource, object: JsonObject): JsonObject {
  rulesOf(resource).prepareForCreate?.(object, request);
  return object;
}

function updated(resource: BuiltInResource, object: JsonObject, old: JsonObject): JsonObject {
  rulesOf(resource).prepareForUpdate?.(object, old, request);
  return object;
}

test("a pod begins pending, with its class", () => {
  expect(created(pods, { metadata: {}, spec: { containers: [{}] }, status: { phase: "Running" } })["status"]).toEqual({
    phase: "Pending",
    qosClass: "BestEffort",
  });
});

describe("a pod's class", () => {
  const both = { cpu: "1", memory: "1Gi" };
  test.each<[string, JsonObject[], string]>([
    ["BestEffort when no container asks for anything", [{}, { resources: { limits: { gpu: "1" } } }], "BestEffort"],
    ["BestEffort when all that is asked is nothing", [{ resources: { requests: { cpu: "0" } } }], "BestEffort"],
    [
      "Guaranteed when every container is bounded by what it asks",
      [{ resources: { limits: both, requests: both } }],
      "Guaranteed",
    ],
    [
      "Burstable when one asks for nothing of what it may use",
      [{ resources: { requests: { ...both, cpu: "0" }, limits: both } }],
      "Burstable",
    ],
    ["Guaranteed when limits alone are given", [{ resources: { limits: both } }], "Guaranteed"],
    [
      "Burstable when one container asks for less than its limit",
      [{ resources: { limits: both, requests: { cpu: "500m" } } }],
      "Burstable",
    ],
    ["Burstable when one container has no limit", [{ resources: { limits: both } }, {}], "Burstable"],
    [
      "Guaranteed when requests and limits are the same amounts in other units",
      [{ resources: { requests: { cpu: "1", memory: "1073741824" }, limits: both } }],
      "Guaranteed",
    ],
    [
      "Guaranteed when the sums of all containers are equal",
      [
        { resources: { requests: { cpu: "3", memory: "1Gi" }, limits: both } },
        { resources: { requests: { cpu: "2", memory: "1Gi" }, limits: { cpu: "4", memory: "1Gi" } } },
      ],
      "Guaranteed",
    ],
    [
      "Burstable when one container asks for nothing, though the sums are equal",
      [
        { resources: { requests: { cpu: "3", memory: "1Gi" } } },
        { resources: { limits: { cpu: "3", memory: "1Gi" } } },
      ],
      "Burstable",
    ],
    ["Burstable when memory has no limit", [{ resources: { limits: { cpu: "1" } } }], "Burstable"],
  ])("is %s", (_, containers, expected) => expect(qualityOfService({ containers })).toBe(expected));

  test("counts the containers that run first", () => {
    const bounded = { resources: { limits: both } };
    expect(qualityOfService({ initContainers: [{}], containers: [bounded] })).toBe("Burstable");
  });
});

test("a secret's plain texts are stored as bytes over the data that is there", () => {
  const secret = { metadata: {}, data: { a: "b2xk", b: "a2VwdA==" }, stringData: { a: "new é" } };
  const expected = { metadata: {}, data: { a: Buffer.from("new é").toString("base64"), b: "a2VwdA==" } };
  expect(created(secrets, structuredClone(secret))).toEqual(expected);
  expect(updated(secrets, structuredClone(secret), { metadata: {}, data: {} })).toEqual(expected);
});

test("a service account's references to secrets are names alone", () => {
  const account = { metadata: {}, secrets: [{ name: "token", namespace: "other", uid: "1" }] };
  expect(created(serviceAccounts, account)["secrets"]).toEqual([{ name: "token" }]);
  expect(created(serviceAccounts, { metadata: {} })).toEqual({ metadata: {} });
});

describe("the versions in which objects of a definition were stored", () => {
  const definition = (storage: string): JsonObject => ({
    metadata: {},
    spec: { versions: ["v1", "v2"].map((name) => ({ name, storage: name === storage })) },
    status: { storedVersions: ["forged"] },
  });

  test("begin with the storage version", () => {
    expect(created(customResourceDefinitions, definition("v1"))["status"]).toMatchObject({ storedVersions: ["v1"] });
  });

  test("grow when another version becomes the storage version, and only then", () => {
    const old = (): JsonObject => ({ ...definition("v1"), status: { storedVersions: ["v1"] } });
    expect(updated(customResourceDefinitions, definition("v2"), old())["status"]).toEqual({
      storedVersions: ["v1", "v2"],
    });
    expect(updated(customResourceDefinitions, definition("v1"), old())["status"]).toEqual({ storedVersions: ["v1"] });
  });
});

test("an aggregated API without a service is served here, and available at once", () => {
  expect(created(apiServices, { metadata: {}, spec: { version: "v1" } })["status"]).toMatchObject({
    conditions: [{ type: "Available", status: "True", reason: "Local", lastTransitionTime: request.now }],
  });
  expect(created(apiServices, { metadata: {}, spec: { service: { name: "s" } } })["status"]).toEqual({});
});

describe("a pod's seccomp profiles", () => {
  const { seccompSecurityAlphaPod: ofPod, containerSeccompSecurityAlpha: ofContainer } = vocabulary.annotations;
  const pod = (annotations: JsonObject, pods?: JsonObject, containers?: JsonObject): JsonObject => ({
    metadata: Object.keys(annotations).length > 0 ? { annotations } : {},
    spec: {
      ...(pods === undefined ? {} : { securityContext: { seccompProfile: pods } }),
      containers: [
        { name: "c", ...(containers === undefined ? {} : { securityContext: { seccompProfile: containers } }) },
      ],
    },
  });
  const local = { type: "Localhost", localhostProfile: "a.json" };
  test.each<[string, JsonObject, JsonObject]>([
    [
      "as fields are annotations too",
      pod({}, { type: "RuntimeDefault" }, local),
      pod({ [ofPod]: "runtime/default", [`${ofContainer}c`]: "localhost/a.json" }, { type: "RuntimeDefault" }, local),
    ],
    [
      "as annotations are fields too",
      pod({ [ofPod]: "unconfined", [`${ofContainer}c`]: "docker/default" }),
      pod({}, { type: "Unconfined" }, { type: "RuntimeDefault" }),
    ],
    ["said both ways stay as they are", pod({ [ofPod]: "unconfined" }, local), pod({ [ofPod]: "unconfined" }, local)],
    ["that are none are left to validation", pod({ [ofPod]: "localhost/" }), pod({ [ofPod]: "localhost/" })],
  ])("%s", (_, given, expected) => expect(created(pods, given)).toMatchObject(expected));
});

test("a pod's account has its old name too", () => {
  expect(created(pods, { metadata: {}, spec: { serviceAccountName: "a" } })["spec"]).toMatchObject({
    serviceAccount: "a",
  });
});

describe("a job", () => {
  const metadata = { name: "j", uid: "u" };
  const own = { "controller-uid": "u", "job-name": "j" };
  test("selects its own pods", () => {
    expect(created(jobs, { metadata: { ...metadata }, spec: {} })).toMatchObject({
      metadata: { labels: own },
      spec: { selector: { matchLabels: { "controller-uid": "u" } }, template: { metadata: { labels: own } } },
    });
  });

  test("keeps what is said, for validation to judge", () => {
    const spec = { template: { metadata: { labels: { "controller-uid": "other", app: "a" } } } };
    const job = created(jobs, { metadata: { ...metadata, labels: { app: "a" } }, spec });
    expect(job).toMatchObject({
      metadata: { labels: { app: "a" } },
      spec: {
        selector: { matchLabels: { "controller-uid": "other" } },
        template: { metadata: { labels: { app: "a", "controller-uid": "other", "job-name": "j" } } },
      },
    });
  });

  test("selects by hand where it says so", () => {
    const spec = { manualSelector: true, selector: { matchLabels: { app: "a" } } };
    expect(created(jobs, { metadata, spec: structuredClone(spec) })["spec"]).toEqual(spec);
  });
});

describe("the count of a daemon set's templates", () => {
  const daemonSet = (image: string, count?: string): JsonObject => ({
    metadata: count === undefined ? {} : { annotations: { [TEMPLATE_GENERATION]: count } },
    spec: { template: { spec: { containers: [{ name: "c", image }] } } },
  });
  const countOf = ({ metadata }: JsonObject) =>
    (metadata as { annotations: JsonObject }).annotations[TEMPLATE_GENERATION];

  test.each([
    [undefined, "1"],
    ["0", "1"],
    ["5", "5"],
    ["many", "1"],
  ])("begins, where the client says %s, at %s", (said, expected) =>
    expect(countOf(created(daemonSets, daemonSet("a", said)))).toBe(expected),
  );

  test.each([
    ["a", undefined, "3"],
    ["a", "9", "3"],
    ["b", undefined, "4"],
    ["b", "9", "4"],
  ])("is, with image %s in place of a, where the client says %s, %s", (image, said, expected) =>
    expect(countOf(updated(daemonSets, daemonSet(image, said), daemonSet("a", "3")))).toBe(expected),
  );
});

test("a limit range without a name has a random one", () => {
  expect(created(limitRanges, { metadata: { uid: "u" } })["metadata"]).toEqual({ name: "u", uid: "u" });
  expect(created(limitRanges, { metadata: { name: "n", uid: "u" } })["metadata"]).toEqual({ name: "n", uid: "u" });
});

test.each([
  [{ kind: "PersistentVolumeClaim", name: "a" }, true],
  [{ apiGroup: vocabulary.groups.snapshotStorage, kind: "VolumeSnapshot", name: "a" }, true],
  [{ kind: "Pod", name: "a" }, false],
  [{ apiGroup: "example.com", kind: "VolumeSnapshot", name: "a" }, false],
])("a claim that is to be filled from %j names its source: %s", (dataSource, kept) => {
  const claim = created(persistentVolumeClaims, { metadata: {}, spec: { dataSource } });
  expect(claim["spec"]).toEqual(kept ? { dataSource } : {});
});

test("the system's priority classes cannot be deleted", () => {
  const refusal = (name: string) => rulesOf(priorityClasses).deletion?.refusal?.({ metadata: { name } });
  expect(refusal("system-node-critical")).toBe("this is a system priority class and cannot be deleted");
  expect(refusal("mine")).toBeUndefined();
});

test.each([
  ["v1", { attached: false }, { attached: false }],
  ["v1beta1", { attached: true }, { attached: true }],
])("an attachment of %s is created and written with the status %j", (version, begins, becomes) => {
  const { strategy, subresources } = definitionOf(volumeAttachments, vocabulary, schema, "1.21") as ResourceDefinition;
  const through = { ...request, version: { group: "storage.orch.io", version } };
  const object: JsonObject = { metadata: {}, spec: {}, status: { attached: true } };
  strategy.prepareForCreate?.(object, through);
  expect(object["status"]).toEqual(begins);
  const next: JsonObject = { metadata: {}, spec: {}, status: { attached: true } };
  strategy.prepareForUpdate?.(next, { metadata: {}, spec: {}, status: { attached: false } }, through);
  expect(next["status"]).toEqual(becomes);
  expect(subresources["status"]?.through?.(through.version) === undefined).toBe(version === "v1beta1");
});
