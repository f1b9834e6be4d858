import { describe, expect, test } from "@jest/globals";
import { vocabularyOf } from "@orch/schema";
import { type Attributes, type Decision, type ResourceAttributes, rulesFor } from "../authorization/authorizer";
import { requestedSelectors } from "../authorization/requested-selectors";
import { nodeAuthorizer } from "./node-authorizer";
import { NodeGraph, objectKey } from "./node-graph";
import {
  attachedNode,
  claimReferences,
  nodeConfigOf,
  podReferences,
  requestingNode,
  sliceNode,
  volumeOf,
} from "./pod-references";

const vocabulary = vocabularyOf("orch");
const { groups } = vocabulary;
const NODE = { name: "system:node:n1", groups: ["system:nodes"] };

const SPEC = {
  serviceAccountName: "robot",
  imagePullSecrets: [{ name: "pull" }],
  volumes: [
    { name: "a", secret: { secretName: "vol" } },
    { name: "b", configMap: { name: "vol" } },
    { name: "c", persistentVolumeClaim: { claimName: "claim" } },
    {
      name: "d",
      projected: { sources: [{ secret: { name: "projected" } }, { configMap: { name: "projected" } }, {}] },
    },
    { name: "e", csi: { driver: "x", nodePublishSecretRef: { name: "csi" } } },
    { name: "f", ephemeral: { volumeClaimTemplate: {} } },
    ...["cephfs", "cinder", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos"].map((source) => ({
      name: source,
      [source]: { secretRef: { name: source.toLowerCase() } },
    })),
    { name: "g", azureFile: { secretName: "azure" } },
  ],
  containers: [
    {
      env: [
        { name: "A", valueFrom: { secretKeyRef: { name: "env", key: "k" } } },
        { name: "B", valueFrom: { configMapKeyRef: { name: "env", key: "k" } } },
        { name: "C", value: "plain" },
      ],
      envFrom: [{ secretRef: { name: "env-from" } }, { configMapRef: { name: "env-from" } }],
    },
  ],
  initContainers: [{ env: [{ name: "A", valueFrom: { secretKeyRef: { name: "init", key: "k" } } }] }],
  ephemeralContainers: [{ envFrom: [{ configMapRef: { name: "ephemeral" } }] }],
};

function all(steps: Iterable<void>): void {
  for (const _step of steps) {
  }
}

function addPod(graph: NodeGraph, name: string, node: string, spec = SPEC as object, ephemeralClaims = true): void {
  const references = new Set<string>();
  podReferences(spec as never, { namespace: "shop", name, ephemeralClaims }, (key) => references.add(key));
  all(graph.setPod(`shop/${name}`, node, references));
}

function sampleGraph(): NodeGraph {
  const graph = new NodeGraph();
  addPod(graph, "web", "n1");
  addPod(graph, "other", "n2", { volumes: [{ name: "x", secret: { secretName: "of-other" } }] });
  graph.setVolume(
    "pv",
    volumeOf({
      spec: {
        claimRef: { namespace: "shop", name: "claim" },
        csi: {
          nodeStageSecretRef: { namespace: "storage", name: "stage" },
          controllerPublishSecretRef: { namespace: "storage", name: "controller" },
        },
      },
    }),
  );
  graph.setVolume("free", volumeOf({ spec: { csi: {} } }));
  graph.setAttachment("attached", attachedNode({ spec: { nodeName: "n1" } }));
  graph.setNodeConfig(
    "n1",
    nodeConfigOf({ spec: { configSource: { configMap: { namespace: "system", name: "agent" } } } }),
  );
  return graph;
}

function ask(
  attributes: Partial<ResourceAttributes> | { path: string; verb: string },
  user = NODE,
  graph = sampleGraph(),
) {
  const authorizer = nodeAuthorizer({ vocabulary, release: "1.26", graph, caughtUp() {} });
  const asked: Attributes =
    "path" in attributes
      ? { kind: "nonResource", user, ...attributes }
      : {
          ...{ kind: "resource", user, verb: "get", apiGroup: "", apiVersion: "v1", resource: "secrets" },
          ...{ subresource: "", namespace: "", name: "" },
          ...attributes,
        };
  const { kind, reason } = authorizer.authorize(asked) as Decision;
  return kind === "allow" ? "allowed" : `${kind}: ${reason}`;
}

const in_ = { namespace: "shop" };
const UNRELATED = "noOpinion: no relationship found between node 'n1' and this object";

describe("a node agent may", () => {
  test.each<[string, Partial<ResourceAttributes>]>([
    ...["vol", "projected", "csi", "env", "env-from", "init", "pull", "azure"].map(
      (name): [string, Partial<ResourceAttributes>] => [`read the secret ${name}`, { ...in_, name }],
    ),
    ...["cephfs", "cinder", "flexvolume", "iscsi", "rbd", "scaleio", "storageos"].map(
      (name): [string, Partial<ResourceAttributes>] => [`read the secret of a volume of ${name}`, { ...in_, name }],
    ),
    ["list one secret by its name", { ...in_, name: "vol", verb: "list" }],
    ["watch one secret by its name", { ...in_, name: "vol", verb: "watch" }],
    ["read a secret of a volume of a claim", { namespace: "storage", name: "stage" }],
    ...["vol", "projected", "env", "env-from", "ephemeral"].map((name): [string, Partial<ResourceAttributes>] => [
      `read the config map ${name}`,
      { ...in_, resource: "configmaps", name },
    ]),
    ["read the config map of its own configuration", { resource: "configmaps", namespace: "system", name: "agent" }],
    ["get a claim", { ...in_, resource: "persistentvolumeclaims", name: "claim" }],
    ["get the claim that a volume of a pod has brought", { ...in_, resource: "persistentvolumeclaims", name: "web-f" }],
    [
      "change the status of a claim",
      { ...in_, resource: "persistentvolumeclaims", name: "claim", subresource: "status", verb: "patch" },
    ],
    ["get the volume of a claim", { resource: "persistentvolumes", name: "pv" }],
    [
      "get the attachment of a volume to it",
      { apiGroup: groups.storage, resource: "volumeattachments", name: "attached" },
    ],
    ["have a token", { ...in_, resource: "serviceaccounts", subresource: "token", name: "robot", verb: "create" }],
    [
      "keep its lease",
      { apiGroup: groups.coordination, resource: "leases", namespace: "orch-node-lease", name: "n1", verb: "update" },
    ],
    [
      "make its lease",
      { apiGroup: groups.coordination, resource: "leases", namespace: "orch-node-lease", verb: "create" },
    ],
    ["keep its drivers", { apiGroup: groups.storage, resource: "csinodes", name: "n1", verb: "delete" }],
    ["list nodes", { resource: "nodes", verb: "list" }],
    ["tell of a pod", { ...in_, resource: "pods", subresource: "status", name: "other", verb: "patch" }],
    ["ask who somebody is", { apiGroup: groups.authentication, resource: "tokenreviews", verb: "create" }],
  ])("%s", (_what, attributes) => {
    expect(ask(attributes)).toBe("allowed");
  });
});

describe("a node agent has no right to", () => {
  test.each<[string, Partial<ResourceAttributes> | { path: string; verb: string }, string]>([
    ["a secret of another node's pod", { ...in_, name: "of-other" }, UNRELATED],
    ["a secret of a volume's controller", { namespace: "storage", name: "controller" }, UNRELATED],
    ["a secret of that name elsewhere", { namespace: "other", name: "vol" }, UNRELATED],
    ["a config map named as a secret", { ...in_, resource: "configmaps", name: "pull" }, UNRELATED],
    ["all secrets", { ...in_, verb: "list" }, "noOpinion: No Object name found"],
    ["change a secret", { ...in_, name: "vol", verb: "update" }, "noOpinion: can only read resources of this type"],
    ["a part of a secret", { ...in_, name: "vol", subresource: "x" }, "noOpinion: cannot read subresource"],
    [
      "secrets of all namespaces",
      { name: "vol", verb: "list" },
      "noOpinion: can only read namespaced object of this type",
    ],
    [
      "list claims",
      { ...in_, resource: "persistentvolumeclaims", verb: "list" },
      "noOpinion: can only get individual resources of this type",
    ],
    [
      "read the status of a claim",
      { ...in_, resource: "persistentvolumeclaims", subresource: "status", name: "claim" },
      "noOpinion: can only get/update/patch this type",
    ],
    [
      "another part of a claim",
      { ...in_, resource: "persistentvolumeclaims", subresource: "x", name: "claim" },
      "noOpinion: cannot get subresource",
    ],
    ["a volume that no claim has", { resource: "persistentvolumes", name: "free" }, UNRELATED],
    ["any attachment", { apiGroup: groups.storage, resource: "volumeattachments", name: "another" }, UNRELATED],
    [
      "tokens of nobody",
      { ...in_, resource: "serviceaccounts", subresource: "token", verb: "create" },
      "noOpinion: can only create tokens for individual service accounts",
    ],
    [
      "service accounts",
      { ...in_, resource: "serviceaccounts", name: "robot", verb: "create" },
      "noOpinion: can only create token subresource of serviceaccount",
    ],
    [
      "tokens of others",
      { ...in_, resource: "serviceaccounts", subresource: "token", name: "admin", verb: "create" },
      UNRELATED,
    ],
    [
      "leases elsewhere",
      { apiGroup: groups.coordination, resource: "leases", namespace: "shop", name: "n1" },
      'noOpinion: can only access leases in the "orch-node-lease" system namespace',
    ],
    [
      "leases of others",
      { apiGroup: groups.coordination, resource: "leases", namespace: "orch-node-lease", name: "n2" },
      "noOpinion: can only access node lease with the same name as the requesting node",
    ],
    [
      "drivers of others",
      { apiGroup: groups.storage, resource: "csinodes", name: "n2" },
      "noOpinion: can only access CSINode with the same name as the requesting node",
    ],
    ["delete nodes", { resource: "nodes", name: "n1", verb: "delete" }, "noOpinion: "],
    ["paths", { path: "/metrics", verb: "get" }, "noOpinion: "],
    ["secrets of another group's", { ...in_, apiGroup: "x", name: "vol" }, "noOpinion: "],
  ])("%s", (_what, attributes, decision) => {
    expect(ask(attributes)).toBe(decision);
  });

  test.each([
    ["without the group of nodes", { name: NODE.name, groups: [] }, "noOpinion: "],
    ["by another user's name", { name: "ann", groups: NODE.groups }, "noOpinion: "],
    [
      "of a node without a name",
      { name: "system:node:", groups: NODE.groups },
      'noOpinion: unknown node for user "system:node:"',
    ],
  ])("anything %s", (_who, user, decision) => {
    expect(ask({ ...in_, name: "vol" }, user)).toBe(decision);
  });
});

test("its rules cannot be listed", () => {
  const authorizer = nodeAuthorizer({ vocabulary, release: "1.26", graph: sampleGraph(), caughtUp() {} });
  expect(rulesFor(authorizer, NODE, "shop")).toMatchObject({
    incomplete: true,
    problem: "node authorizer does not support user rule resolution",
  });
  expect(rulesFor(authorizer, { name: "ann", groups: [] }, "shop")).toMatchObject({ incomplete: false, problem: "" });
});

test("a decision waits for what has happened and is not in the graph yet", async () => {
  const graph = new NodeGraph();
  const caughtUp = async () => addPod(graph, "web", "n1");
  const decision = nodeAuthorizer({ vocabulary, release: "1.26", graph, caughtUp }).authorize({
    ...{ kind: "resource", user: NODE, verb: "get", apiGroup: "", apiVersion: "v1", resource: "secrets" },
    ...{ subresource: "", namespace: "shop", name: "vol" },
  });
  expect(await decision).toMatchObject({ kind: "allow" });
});

describe("the graph", () => {
  const secret = objectKey("secret", "shop", "vol");
  const volume = objectKey("persistentvolume", "", "pv");
  const stage = objectKey("secret", "storage", "stage");
  const claim = objectKey("persistentvolumeclaim", "shop", "claim");

  test("has nothing left once everything is gone, in whatever order it came and went", () => {
    const changes: ((graph: NodeGraph, isThere: boolean) => void)[] = [
      (graph, isThere) => (isThere ? addPod(graph, "web", "n1") : all(graph.removePod("shop/web"))),
      (graph, isThere) => (isThere ? addPod(graph, "two", "n1") : all(graph.removePod("shop/two"))),
      (graph, isThere) => graph.setVolume("pv", isThere ? { claim, secrets: [stage] } : undefined),
      (graph, isThere) => graph.setVolume("pv2", isThere ? { claim, secrets: [stage, secret] } : undefined),
      (graph, isThere) => graph.setAttachment("a", isThere ? "n1" : ""),
      (graph, isThere) => graph.setNodeConfig("n1", isThere ? objectKey("configmap", "s", "c") : undefined),
    ];
    for (let order = 0; order < 200; order += 1) {
      const graph = new NodeGraph();
      const there = new Set<number>();
      for (let step = 0; step < 40; step += 1) {
        const at = (order * 7919 + step * 104729 + ((order * step) % 13)) % changes.length;
        const isThere = (order + step * 3) % 5 < 3;
        changes[at]?.(graph, isThere);
        if (isThere) there.add(at);
        else there.delete(at);
        const runs = there.has(0) || there.has(1);
        expect(graph.reaches(claim, "n1")).toBe(runs);
        expect(graph.reaches(volume, "n1")).toBe(runs && there.has(2));
        expect(graph.reaches(stage, "n1")).toBe(runs && (there.has(2) || there.has(3)));
      }
      for (const change of changes) change(graph, false);
      expect(graph.size).toBe(0);
    }
  });

  test("follows a pod that comes back on another node, and a claim to another volume", () => {
    const graph = sampleGraph();
    addPod(graph, "web", "n2");
    expect([graph.reaches(secret, "n1"), graph.reaches(secret, "n2")]).toEqual([false, true]);
    expect([graph.reaches(volume, "n1"), graph.reaches(volume, "n2")]).toEqual([false, true]);
    graph.setVolume("pv", { claim: objectKey("persistentvolumeclaim", "shop", "another"), secrets: [] });
    expect([graph.reaches(volume, "n2"), graph.reaches(stage, "n2")]).toEqual([false, false]);
  });

  test("takes a pod of many references, and gives it back, in steps", () => {
    const graph = new NodeGraph();
    const references = new Set(Array.from({ length: 20_000 }, (_, index) => objectKey("secret", "shop", `s${index}`)));
    expect([...graph.setPod("shop/web", "n1", references)].length).toBeGreaterThan(30);
    expect(graph.size).toBe(20_000);
    expect([...graph.removePod("shop/web")].length).toBeGreaterThan(30);
    expect(graph.size).toBe(0);
  });
});

describe("since 1.31", () => {
  const RESOURCE = { apiGroup: groups.resource };
  const CERTIFICATE = { apiGroup: groups.certificates, resource: "podcertificaterequests", namespace: "shop" };
  const selecting = (fields: string) => ({ selectors: () => requestedSelectors({ fields, labels: "" }) });
  const ofNode = (node: string) => selecting(`spec.nodeName=${node}`);
  const graph = new NodeGraph();
  const references = new Set([objectKey("pod", "shop", "web"), objectKey("serviceaccount", "shop", "robot")]);
  const pod = {
    spec: {
      resourceClaims: [
        { name: "a", resourceClaimName: "shared" },
        { name: "b", resourceClaimTemplateName: "t" },
      ],
    },
    status: {
      resourceClaimStatuses: [{ name: "b", resourceClaimName: "generated" }],
      extendedResourceClaimStatus: { resourceClaimName: "extended" },
    },
  };
  podReferences(pod.spec as never, { namespace: "shop", name: "web", ephemeralClaims: false }, (key) =>
    references.add(key),
  );
  claimReferences(pod.status, { namespace: "shop", name: "web", ephemeralClaims: false }, (key) => references.add(key));
  all(graph.setPod("shop/web", "n1", references));
  all(graph.setPod("shop/other", "n2", new Set([objectKey("pod", "shop", "other")])));
  graph.setSlice("mine", sliceNode({ spec: { nodeName: "n1" } }));
  graph.setSlice("theirs", sliceNode({ spec: { nodeName: "n2" } }));
  graph.setCertificateRequest("shop/mine", requestingNode({ spec: { nodeName: "n1" } }));

  const decide = (release: string, asked: Partial<ResourceAttributes>, gates = {}): string => {
    const authorizer = nodeAuthorizer({ vocabulary, release, gates, graph, caughtUp() {} });
    const { kind, reason } = authorizer.authorize({
      ...{ kind: "resource", user: NODE, verb: "get", apiGroup: "", apiVersion: "v1", resource: "pods" },
      ...{ subresource: "", namespace: "", name: "" },
      ...asked,
    }) as Decision;
    return kind === "allow" ? "allowed" : `${kind}: ${reason}`;
  };

  const DENIED = "noOpinion: ";
  const ALL_PODS = "noOpinion: can only list/watch pods with spec.nodeName field selector";
  const SLICES = "noOpinion: can only list/watch/deletecollection resourceslices with nodeName field selector";
  test.each<[string, Partial<ResourceAttributes>, string, string]>([
    [
      "all nodes",
      { resource: "nodes", verb: "list" },
      "allowed",
      "noOpinion: node 'n1' cannot read all nodes, only its own Node object",
    ],
    [
      "another node",
      { resource: "nodes", name: "n2" },
      "allowed",
      "noOpinion: node 'n1' cannot read 'n2', only its own Node object",
    ],
    ["its node", { resource: "nodes", name: "n1", verb: "watch" }, "allowed", "allowed"],
    ["a new node", { resource: "nodes", verb: "create" }, "allowed", "allowed"],
    [
      "the status of its node",
      { resource: "nodes", name: "n1", subresource: "status", verb: "patch" },
      "allowed",
      "allowed",
    ],
    ["all pods", { verb: "list" }, "allowed", ALL_PODS],
    ["the pods of another node", { verb: "watch", ...ofNode("n2") }, "allowed", ALL_PODS],
    [
      "the pods of a node that is not selected alone",
      { verb: "list", ...selecting("spec.nodeName!=n1") },
      "allowed",
      ALL_PODS,
    ],
    ["the pods of an invalid selector", { verb: "list", ...selecting("=,=") }, "allowed", ALL_PODS],
    ["its pods", { verb: "list", ...ofNode("n1") }, "allowed", "allowed"],
    [
      "its pods of one phase",
      { verb: "list", ...selecting("status.phase=Running,spec.nodeName=n1") },
      "allowed",
      "allowed",
    ],
    ["a pod of it", { ...in_, name: "web" }, "allowed", "allowed"],
    ["a pod of another node", { ...in_, name: "other" }, "allowed", UNRELATED],
    ["the status of a pod", { ...in_, name: "other", subresource: "status", verb: "patch" }, "allowed", "allowed"],
    ["the log of a pod", { ...in_, name: "web", subresource: "log" }, DENIED, DENIED],
    [
      "a claim that a pod names",
      { ...in_, ...RESOURCE, resource: "resourceclaims", name: "shared" },
      "allowed",
      "allowed",
    ],
    [
      "a claim that was generated",
      { ...in_, ...RESOURCE, resource: "resourceclaims", name: "generated" },
      "allowed",
      "allowed",
    ],
    [
      "a claim for extended resources",
      { ...in_, ...RESOURCE, resource: "resourceclaims", name: "extended" },
      "allowed",
      "allowed",
    ],
    ["another claim", { ...in_, ...RESOURCE, resource: "resourceclaims", name: "none" }, UNRELATED, UNRELATED],
    ["a slice of it", { ...RESOURCE, resource: "resourceslices", name: "mine", verb: "update" }, "allowed", "allowed"],
    [
      "a slice of another node",
      { ...RESOURCE, resource: "resourceslices", name: "theirs", verb: "delete" },
      UNRELATED,
      UNRELATED,
    ],
    ["a new slice", { ...RESOURCE, resource: "resourceslices", verb: "create" }, "allowed", "allowed"],
    ["all slices", { ...RESOURCE, resource: "resourceslices", verb: "list" }, "allowed", SLICES],
    [
      "its slices",
      { ...RESOURCE, resource: "resourceslices", verb: "deletecollection", ...ofNode("n1") },
      "allowed",
      "allowed",
    ],
    [
      "the account of a pod",
      { ...in_, resource: "serviceaccounts", name: "robot" },
      "noOpinion: not allowed to get service accounts",
      "allowed",
    ],
    [
      "another account",
      { ...in_, resource: "serviceaccounts", name: "root" },
      "noOpinion: not allowed to get service accounts",
      UNRELATED,
    ],
    ["a certificate request, without the gate", { ...CERTIFICATE, name: "mine" }, DENIED, DENIED],
  ])("%s", (_what, asked, earlier, later) => {
    expect(decide("1.31", asked)).toBe(earlier);
    expect(decide("1.36", asked)).toBe(later);
  });

  test.each<[string, Partial<ResourceAttributes>, string]>([
    ["its request", { name: "mine" }, "allowed"],
    ["another request", { name: "theirs" }, UNRELATED],
    ["a new request", { verb: "create" }, "allowed"],
    ["its requests", { verb: "list", ...ofNode("n1") }, "allowed"],
    [
      "all requests",
      { verb: "watch" },
      "noOpinion: can only list/watch podcertificaterequests with nodeName field selector",
    ],
    ["a deletion", { verb: "delete", name: "mine" }, "noOpinion: nodes may not delete podcertificaterequests"],
    [
      "the status",
      { verb: "update", name: "mine", subresource: "status" },
      "noOpinion: nodes may not access the status subresource of PodCertificateRequests",
    ],
  ])("with the gate of certificate requests: %s", (_what, asked, expected) => {
    expect(decide("1.36", { ...CERTIFICATE, ...asked }, { PodCertificateRequest: true })).toBe(expected);
  });
});
