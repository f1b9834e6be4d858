// The rules that tables cannot say, of the kinds that have no test file of their own.
import { describe, expect, test } from "@jest/globals";
import type { ResourceDefinition } from "@orch/machinery";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { customResourceDefinitions } from "./apiextensions/custom-resource-definitions";
import { apiServices } from "./apiregistration/api-services";
import type { BuiltInResource } from "./built-in-resource";
import { pods } from "./core/pods";
import { qualityOfService } from "./core/quality-of-service";
import { secrets } from "./core/secrets";
import { serviceAccounts } from "./core/service-accounts";
import { definitionOf } from "./definitions";

const request = { user: { name: "ann", groups: [] }, now: "2024-05-01T12:00:00Z" };
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
    ["Guaranteed when limits alone are given", [{ resources: { limits: both } }], "Guaranteed"],
    [
      "Burstable when one container asks for less than its limit",
      [{ resources: { limits: both, requests: { cpu: "500m" } } }],
      "Burstable",
    ],
    ["Burstable when one container has no limit", [{ resources: { limits: both } }, {}], "Burstable"],
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
