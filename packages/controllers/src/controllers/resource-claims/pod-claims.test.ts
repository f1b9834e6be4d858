import { expect, test } from "@jest/globals";
import { type coreV1, type resourceV1, vocabularyOf } from "@orch/schema";
import { claimFromTemplate, podAsOwner } from "./claim-owners";
import { claimingPod, claimNamesOf, isDone } from "./pod-claims";

const vocabulary = vocabularyOf("orch");

const pod = (more: object = {}, name = "web"): coreV1.Pod =>
  ({ metadata: { name, namespace: "shop", uid: "u" }, spec: { containers: [] }, ...more }) as unknown as coreV1.Pod;

const template = {
  spec: { metadata: { labels: { a: "b" } }, spec: { devices: { requests: [] } } },
} as unknown as resourceV1.ResourceClaimTemplate;

test("a claim from a template belongs to the pod and names its entry", () => {
  expect(claimFromTemplate(podAsOwner(pod()), "gpu", template, vocabulary)).toEqual({
    metadata: {
      generateName: "web-gpu-",
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "web", uid: "u", controller: true }],
      annotations: { "resource.orch.io/pod-claim-name": "gpu" },
      labels: { a: "b" },
    },
    spec: { devices: { requests: [] } },
  });
});

test("a long name keeps parts of both names", () => {
  const made = claimFromTemplate(podAsOwner(pod({}, "p".repeat(60))), "c".repeat(40), template, vocabulary);
  expect(made.metadata?.generateName).toBe(`${"p".repeat(33)}-${"c".repeat(22)}`);
});

test.each<[string, object, boolean]>([
  ["runs", { status: { phase: "Running" } }, false],
  ["succeeded", { status: { phase: "Succeeded" } }, true],
  ["failed", { status: { phase: "Failed" } }, true],
  ["is deleted without a node", { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } }, true],
  [
    "is deleted on its node",
    { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" }, spec: { nodeName: "n", containers: [] } },
    false,
  ],
])("a pod that %s is done: %p", (_, more, expected) => expect(isDone(pod(more))).toBe(expected));

test("the claims of a pod are those it names and those made for it", () => {
  const claims = [{ name: "a", resourceClaimName: "shared" }, ..."bcd".split("").map((name) => ({ name }))];
  const resourceClaimStatuses = [{ name: "b", resourceClaimName: "web-b-1" }, { name: "c" }];
  const status = { resourceClaimStatuses, extendedResourceClaimStatus: { resourceClaimName: "web-x" } };
  const whole = pod({ spec: { containers: [{ name: "c" }], resourceClaims: claims }, status });
  expect(claimNamesOf(whole)).toEqual(["shared", "web-b-1", "web-x"]);
  expect(claimNamesOf(claimingPod(whole))).toEqual(claimNamesOf(whole));
});
