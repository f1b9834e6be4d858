// Writes that kubelets may make, rule by rule. Source: Kubernetes documentation, "Admission Control in Kubernetes",
// "NodeRestriction".
import { describe, expect, test } from "@jest/globals";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { Round } from "../../chain/round";
import type { AdmissionDependencies } from "../../contract/dependencies";
import { fakeDependencies, type RequestParts, refusalOf, requestOf } from "../../testing/admission-request";
import { storedObjects } from "../../testing/stored-objects";
import { nodeRestriction } from "./node-restriction";

const NODES = ["system:nodes"];
const AGENT = { name: "system:node:n1", groups: NODES };
const STORAGE = "storage.orch.io";
const COORDINATION = "coordination.orch.io";

const pod = (name: string, nodeName: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "shop", name, uid: `uid-${name}` },
  spec: { nodeName, ...more },
});
function tokenVolume(audience: string): JsonObject {
  return { name: "t", projected: { sources: [{ serviceAccountToken: { path: "t", audience } }] } };
}
const STORED = [
  { apiVersion: "v1", kind: "Node", metadata: { name: "n1", uid: "uid-n1" } },
  pod("mine", "n1", { volumes: [tokenVolume("")] }),
  pod("theirs", "n2"),
  pod("free", ""),
];

async function asked(parts: RequestParts, dependencies: Partial<AdmissionDependencies> = {}): Promise<string> {
  const plugin = nodeRestriction.make(fakeDependencies({ ...storedObjects(STORED), ...dependencies }));
  const request = requestOf({ user: AGENT, ...parts });
  const refusal = await refusalOf(() => plugin.mutate?.(request, new Round(0)));
  return refusal === undefined
    ? "fine"
    : `${refusal.code} ${refusal.message.replace(/^\S+ "[^"]*" is forbidden: /, "")}`;
}

const named = (name: string, more: JsonObject = {}): JsonObject => ({ metadata: { name, ...more } });
const create = (plural: string, object: JsonObject, more: RequestParts = {}): RequestParts => ({
  ...{ plural, operation: "CREATE", object, name: String((object["metadata"] as JsonObject)?.["name"] ?? "") },
  ...more,
});
const update = (
  plural: string,
  name: string,
  change: readonly [JsonObject, JsonObject],
  subresource = "",
): RequestParts => ({
  ...{ plural, operation: "UPDATE", name, subresource, oldObject: change[0], object: change[1] },
});
const remove = (plural: string, oldObject: JsonObject, more: RequestParts = {}): RequestParts => ({
  ...{ plural, operation: "DELETE", oldObject, name: String((oldObject["metadata"] as JsonObject)["name"]) },
  ...more,
});

const OWNER: JsonObject = { apiVersion: "v1", kind: "Node", name: "n1", uid: "uid-n1", controller: true };
function mirror(spec: JsonObject = {}, owners: JsonObject[] = [OWNER], annotations: JsonObject = MARK): RequestParts {
  const metadata = { name: "m", namespace: "shop", annotations, ownerReferences: owners };
  return create("pods", { metadata, spec: { nodeName: "n1", containers: [{ name: "c" }], ...spec } });
}
const MARK = { "orch.io/config.mirror": "x" };
const NOT_OWNED = '403 node "n1" can only create pods with an owner reference set to itself';
const NOT_CONTROLLED = '403 node "n1" can only create pods with a controller owner reference set to itself';
const REFERS = '403 node "n1" can not create pods that reference';
const volume = (source: JsonObject): JsonObject => ({ volumes: [{ name: "v", ...source }] });

const changed = (before: JsonObject, after: JsonObject) => [before, after] as const;
const labelled = (labels: JsonObject): JsonObject => named("n1", { labels });
const FOREIGN_NODE = '403 node "n1" is not allowed to modify node';
const eviction = (object: JsonObject, name: string): RequestParts =>
  create("pods", object, { subresource: "eviction", name });
const token = (boundObjectRef: JsonObject | undefined): RequestParts =>
  create(
    "serviceaccounts",
    { spec: { audiences: [], ...(boundObjectRef && { boundObjectRef }) } },
    { subresource: "token", name: "robot" },
  );
const ref = (name: string, uid: string): JsonObject => ({ kind: "Pod", apiVersion: "v1", name, uid });
const lease = (more: RequestParts): RequestParts => ({
  ...{ group: COORDINATION, plural: "leases", namespace: "orch-node-lease" },
  ...more,
});
const drivers = (more: RequestParts): RequestParts => ({ group: STORAGE, plural: "csinodes", namespace: "", ...more });
const claim = (status: JsonObject, metadata: JsonObject = {}, spec: JsonObject = {}): JsonObject => ({
  metadata: { name: "c", resourceVersion: "1", ...metadata },
  spec: { volumeName: "v", ...spec },
  status: { phase: "Bound", ...status },
});
const claimed = (after: JsonObject): RequestParts =>
  update("persistentvolumeclaims", "c", changed(claim({ capacity: { storage: "1" } }), after), "status");
const OTHER_FIELDS = '403 node "n1" is not allowed to update fields other than status.capacity and status.conditions';
const LEASE = "403 can only access node lease with the same name as the requesting node";
const DRIVERS = "403 can only access CSINode with the same name as the requesting node";

describe("a node agent, on pods,", () => {
  test.each<[what: string, parts: RequestParts, answer: string]>([
    ["shows its own", mirror(), "fine"],
    ["shows its own with what is no other's", mirror(volume({ hostPath: { path: "/x" } })), "fine"],
    ["marks nothing as blocking", mirror({}, [{ ...OWNER, blockOwnerDeletion: false }]), "fine"],
    [
      "makes none that is no mirror",
      mirror({}, [OWNER], {}),
      '403 pod does not have "orch.io/config.mirror" annotation, node "n1" can only create mirror pods',
    ],
    [
      "makes none elsewhere",
      mirror({ nodeName: "n2" }),
      '403 node "n1" can only create pods with spec.nodeName set to itself',
    ],
    [
      "makes none nowhere",
      mirror({ nodeName: "" }),
      '403 node "n1" can only create pods with spec.nodeName set to itself',
    ],
    ["makes none without an owner", mirror({}, []), NOT_OWNED],
    [
      "makes none with two",
      mirror({}, [OWNER, { ...OWNER, uid: "x" }]),
      '403 node "n1" can only create pods with a single owner reference set to itself',
    ],
    ["makes none of another node", mirror({}, [{ ...OWNER, name: "n2" }]), NOT_OWNED],
    ["makes none of a pod", mirror({}, [{ ...OWNER, kind: "Pod" }]), NOT_OWNED],
    ["makes none of another group", mirror({}, [{ ...OWNER, apiVersion: "x/v1" }]), NOT_OWNED],
    ["makes none that its node does not control", mirror({}, [{ ...OWNER, controller: false }]), NOT_CONTROLLED],
    [
      "makes none that nobody says its node controls",
      mirror({}, [{ apiVersion: "v1", kind: "Node", name: "n1", uid: "u" }]),
      NOT_CONTROLLED,
    ],
    [
      "makes none that keeps its node",
      mirror({}, [{ ...OWNER, blockOwnerDeletion: true }]),
      '403 node "n1" must not set blockOwnerDeletion on an owner reference',
    ],
    [
      "makes none of a former node",
      mirror({}, [{ ...OWNER, uid: "x" }]),
      "403 node n1 UID mismatch: expected x got uid-n1",
    ],
    ["gives none an account", mirror({ serviceAccountName: "robot" }), `${REFERS} a service account`],
    ["gives none a secret", mirror(volume({ secret: { secretName: "x" } })), `${REFERS} secrets`],
    ["gives none credentials", mirror({ imagePullSecrets: [{ name: "x" }] }), `${REFERS} secrets`],
    ["gives none a config map", mirror(volume({ configMap: { name: "x" } })), `${REFERS} configmaps`],
    [
      "gives none a config map as variables",
      mirror({ containers: [{ name: "c", envFrom: [{ configMapRef: { name: "x" } }] }] }),
      `${REFERS} configmaps`,
    ],
    [
      "gives none a config map by projection",
      mirror(volume({ projected: { sources: [{ configMap: { name: "x" } }] } })),
      `${REFERS} configmaps`,
    ],
    [
      "gives none a claim",
      mirror(volume({ persistentVolumeClaim: { claimName: "x" } })),
      `${REFERS} persistentvolumeclaims`,
    ],
    ["has one on it go", remove("pods", pod("mine", "n1")), "fine"],
    ["has one among many go", remove("pods", pod("mine", "n1"), { name: "" }), "fine"],
    [
      "has none of others go",
      remove("pods", pod("theirs", "n2")),
      '403 node "n1" can only delete pods with spec.nodeName set to itself',
    ],
    [
      "has none go that is nowhere",
      remove("pods", pod("free", "")),
      '403 node "n1" can only delete pods with spec.nodeName set to itself',
    ],
    [
      "changes none",
      update("pods", "mine", changed(pod("mine", "n1"), pod("mine", "n1"))),
      '403 unexpected operation "UPDATE", node "n1" can only create and delete mirror pods',
    ],
    [
      "says how one on it fares",
      update(
        "pods",
        "mine",
        changed(pod("mine", "n1"), { ...pod("mine", "n1"), status: { phase: "Failed" } }),
        "status",
      ),
      "fine",
    ],
    [
      "does not say how others fare",
      update("pods", "theirs", changed(pod("theirs", "n2"), pod("theirs", "n1")), "status"),
      '403 node "n1" can only update pod status for pods with spec.nodeName set to itself',
    ],
    [
      "labels none in saying so",
      update(
        "pods",
        "mine",
        changed(pod("mine", "n1"), { ...pod("mine", "n1"), metadata: { name: "mine", labels: { a: "b" } } }),
        "status",
      ),
      '403 node "n1" cannot update labels through pod status',
    ],
    [
      "does not make a status",
      create("pods", named("mine"), { subresource: "status" }),
      '403 unexpected operation "CREATE"',
    ],
    ["evicts one on it", eviction(named("mine"), "mine"), "fine"],
    ["evicts one that the body names", eviction(named("mine"), ""), "fine"],
    [
      "evicts none of others",
      eviction(named("theirs"), "theirs"),
      "403 node n1 can only evict pods with spec.nodeName set to itself",
    ],
    [
      "evicts the one of the path",
      eviction(named("mine"), "theirs"),
      "403 node n1 can only evict pods with spec.nodeName set to itself",
    ],
    ["evicts none that is not there", eviction(named("none"), "none"), '404 pod "none" not found'],
    ["evicts none without a name", eviction({ metadata: {} }, ""), "403 could not determine pod from request data"],
    [
      "does not update an eviction",
      update("pods", "mine", changed(named("mine"), named("mine")), "eviction"),
      "403 unexpected operation UPDATE",
    ],
    ...["binding", "ephemeralcontainers", "exec"].map((subresource): [string, RequestParts, string] => [
      `does not touch ${subresource}`,
      create("pods", named("mine"), { subresource, name: "mine" }),
      `403 unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`,
    ]),
  ])("%s", async (_what, parts, answer) => expect(await asked(parts)).toBe(answer));

  test("makes none of a node that is not there", async () => {
    expect(await asked(mirror(), storedObjects([]))).toBe('404 node "n1" not found');
  });
});

describe("a node agent, on nodes,", () => {
  const taints = [{ key: "k", effect: "NoSchedule" }];
  const source = { configMap: { name: "a" } };
  test.each<[what: string, parts: RequestParts, answer: string]>([
    ["makes its own", create("nodes", named("n1")), "fine"],
    ["makes its own with taints", create("nodes", { ...named("n1"), spec: { taints } }), "fine"],
    ["makes no other", create("nodes", named("n2")), `${FOREIGN_NODE} "n2"`],
    ["makes none without a name", create("nodes", { metadata: { generateName: "n1" } }), `${FOREIGN_NODE} ""`],
    [
      "makes none with a configuration",
      create("nodes", { ...named("n1"), spec: { configSource: source } }),
      '403 node "n1" is not allowed to create pods with a non-nil configSource',
    ],
    [
      "makes none with labels of others, which are named in order",
      create(
        "nodes",
        labelled({ "orch.io/z": "", "node-restriction.orch.io/a": "", "orch.io/os": "linux", plain: "" }),
      ),
      '403 node "n1" is not allowed to set the following labels: node-restriction.orch.io/a, orch.io/z',
    ],
    ["changes its own", update("nodes", "n1", changed(named("n1"), named("n1", { annotations: { a: "b" } }))), "fine"],
    ["changes no other", update("nodes", "n2", changed(named("n2"), named("n2"))), `${FOREIGN_NODE} "n2"`],
    ["says how its own fares", update("nodes", "n1", changed(named("n1"), named("n1")), "status"), "fine"],
    [
      "does not say how others fare",
      update("nodes", "n2", changed(named("n2"), named("n2")), "status"),
      `${FOREIGN_NODE} "n2"`,
    ],
    ["has its own go, as far as this is asked", remove("nodes", named("n1")), "fine"],
    ["has no other go", remove("nodes", named("n2")), `${FOREIGN_NODE} "n2"`],
    [
      "takes no taint away",
      update("nodes", "n1", changed({ ...named("n1"), spec: { taints } }, { ...named("n1"), spec: {} })),
      '403 node "n1" is not allowed to modify taints',
    ],
    [
      "adds no taint",
      update("nodes", "n1", changed({ ...named("n1"), spec: {} }, { ...named("n1"), spec: { taints } })),
      '403 node "n1" is not allowed to modify taints',
    ],
    [
      "adds no taint in saying how it fares",
      update("nodes", "n1", changed(named("n1"), { ...named("n1"), spec: { taints } }), "status"),
      '403 node "n1" is not allowed to modify taints',
    ],
    [
      "keeps its taints",
      update("nodes", "n1", changed({ ...named("n1"), spec: { taints } }, { ...named("n1"), spec: { taints } })),
      "fine",
    ],
    [
      "may be without a list of them as without any",
      update("nodes", "n1", changed({ ...named("n1"), spec: { taints: [] } }, named("n1"))),
      "fine",
    ],
    [
      "takes no configuration",
      update("nodes", "n1", changed(named("n1"), { ...named("n1"), spec: { configSource: source } })),
      '403 node "n1" is not allowed to update configSource to a new non-nil configSource',
    ],
    [
      "keeps its configuration",
      update(
        "nodes",
        "n1",
        changed({ ...named("n1"), spec: { configSource: source } }, { ...named("n1"), spec: { configSource: source } }),
      ),
      "fine",
    ],
    [
      "gives its configuration up",
      update("nodes", "n1", changed({ ...named("n1"), spec: { configSource: source } }, named("n1"))),
      "fine",
    ],
  ])("%s", async (_what, parts, answer) => expect(await asked(parts)).toBe(answer));

  const OF_GONE = { apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: "x" };
  const NO_OWNERS = '403 node "n1" is not allowed to modify ownerReferences';
  const NO_FINALIZERS = '403 node "n1" is not allowed to modify finalizers';
  test.each<[what: string, before: JsonObject, after: JsonObject, answer: string]>([
    ["names no owner", {}, { ownerReferences: [OF_GONE] }, NO_OWNERS],
    ["names no other owner", { ownerReferences: [OWNER] }, { ownerReferences: [OF_GONE] }, NO_OWNERS],
    ["takes no owner away", { ownerReferences: [OWNER] }, {}, NO_OWNERS],
    ["keeps its owners", { ownerReferences: [OWNER] }, { ownerReferences: [OWNER] }, "fine"],
    ["may be without a list of owners as without any", { ownerReferences: [] }, {}, "fine"],
    ["adds no finalizer", {}, { finalizers: ["example.com/keep"] }, NO_FINALIZERS],
    ["takes no finalizer away", { finalizers: ["example.com/keep"] }, {}, NO_FINALIZERS],
    ["keeps its finalizers", { finalizers: ["a/b"] }, { finalizers: ["a/b"], annotations: { a: "b" } }, "fine"],
  ])("%s, nor by its status, nor for a pod", async (_what, before, after, answer) => {
    const of = (metadata: JsonObject) => changed(named("n1", before), named("n1", metadata));
    expect(await asked(update("nodes", "n1", of(after)))).toBe(answer);
    expect(await asked(update("nodes", "n1", of(after), "status"))).toBe(answer);
    const mine = (metadata: JsonObject) => ({ ...pod("mine", "n1"), metadata: { name: "mine", ...metadata } });
    expect(await asked(update("pods", "mine", changed(mine(before), mine(after)), "status"))).toBe(answer);
  });
  test("makes none with an owner or a finalizer", async () => {
    expect(await asked(create("nodes", named("n1", { ownerReferences: [OF_GONE] })))).toBe(NO_OWNERS);
    expect(await asked(create("nodes", named("n1", { finalizers: ["a/b"] })))).toBe(NO_FINALIZERS);
    const { object, ...more } = mirror();
    const metadata = { ...(object?.["metadata"] as JsonObject), finalizers: ["a/b"] };
    expect(await asked({ ...more, object: { ...object, metadata } })).toBe(NO_FINALIZERS);
  });

  const FREE = [
    "plain",
    "example.com/x",
    "notorch.io/x",
    "orch.io/hostname",
    "orch.io/os",
    "orch.io/arch",
    "beta.orch.io/os",
    "beta.orch.io/arch",
    "beta.orch.io/instance-type",
    "node.orch.io/instance-type",
    "node.orch.io/anything",
    "a.node.orch.io/anything",
    "nodeagent.orch.io/anything",
    "a.nodeagent.orch.io/anything",
    "topology.orch.io/zone",
    "topology.orch.io/region",
    "failure-domain.beta.orch.io/zone",
    "failure-domain.beta.orch.io/region",
  ];
  const KEPT = [
    "orch.io/anything",
    "orch.io/hostname2",
    "a.orch.io/x",
    "beta.orch.io/x",
    "topology.orch.io/x",
    "node-role.orch.io/main",
    "node-restriction.orch.io/x",
    "a.node-restriction.orch.io/x",
    "mynode.orch.io/x",
  ];
  const changes = (label: string): readonly (readonly [JsonObject, JsonObject])[] => [
    changed(labelled({}), labelled({ [label]: "x" })),
    changed(labelled({ [label]: "x" }), labelled({ [label]: "y" })),
    changed(labelled({ [label]: "x" }), labelled({})),
  ];
  const answers = (label: string) => Promise.all(changes(label).map((change) => asked(update("nodes", "n1", change))));

  test.each(FREE)("sets, changes and takes away %s", async (label) => {
    expect(await answers(label)).toEqual(["fine", "fine", "fine"]);
  });
  test.each(KEPT)("leaves %s as it is", async (label) => {
    const refused = `403 is not allowed to modify labels: ${label}`;
    expect(await answers(label)).toEqual([refused, refused, refused]);
    expect(await asked(update("nodes", "n1", changed(labelled({ [label]: "x" }), labelled({ [label]: "x" }))))).toBe(
      "fine",
    );
  });
  test.each([
    ["kubernetes.io/x", false],
    ["k8s.io/x", false],
    ["a.k8s.io/x", false],
    ["kubelet.kubernetes.io/x", true],
    ["kubelet.k8s.io/x", false],
    ["orch.io/x", true],
    ["kubernetes.io/os", true],
  ])("in the Kubernetes vocabulary, %s: %s", async (label, isFree) => {
    const dependencies = { vocabulary: vocabularyOf("kubernetes") };
    const answer = await asked(update("nodes", "n1", changed(labelled({}), labelled({ [label]: "x" }))), dependencies);
    expect(answer === "fine").toBe(isFree);
  });
});

describe("a node agent, on other resources,", () => {
  test.each<[what: string, parts: RequestParts, answer: string]>([
    ["makes no claim", create("persistentvolumeclaims", named("c")), "403 may only update PVC status"],
    [
      "changes no claim",
      update("persistentvolumeclaims", "c", changed(claim({}), claim({}))),
      "403 may only update PVC status",
    ],
    ["has no claim go", remove("persistentvolumeclaims", named("c")), "403 may only update PVC status"],
    [
      "makes no claim's status",
      create("persistentvolumeclaims", named("c"), { subresource: "status" }),
      '403 unexpected operation "CREATE"',
    ],
    ["says how large a claim is", claimed(claim({ capacity: { storage: "2" } })), "fine"],
    [
      "says it of one of which nothing was said",
      update("persistentvolumeclaims", "c", changed(named("c"), { ...named("c"), status: { capacity: {} } }), "status"),
      "fine",
    ],
    ["says what it waits for", claimed(claim({ capacity: { storage: "1" }, conditions: [{ type: "x" }] })), "fine"],
    ["need not say of which version", claimed(claim({}, { resourceVersion: "" })), "fine"],
    ["may own what it says", claimed(claim({}, { managedFields: [{ manager: "agent" }] })), "fine"],
    ["does not say that it is lost", claimed(claim({ phase: "Lost" })), `${OTHER_FIELDS}: status`],
    ["does not say who may use it", claimed(claim({ accessModes: ["x"] })), `${OTHER_FIELDS}: status`],
    ["does not bind it", claimed(claim({}, {}, { volumeName: "w" })), `${OTHER_FIELDS}: spec`],
    ["does neither", claimed(claim({ phase: "Lost" }, {}, { volumeName: "w" })), `${OTHER_FIELDS}: spec, status`],
    [
      "does not label it",
      claimed(claim({}, { labels: { a: "b" } })),
      '403 node "n1" is not allowed to update persistentvolumeclaim metadata',
    ],
    [
      "does not hold it",
      claimed(claim({}, { finalizers: ["a/b"] })),
      '403 node "n1" is not allowed to update persistentvolumeclaim metadata',
    ],
    ["says how resizing goes", claimed(claim({ allocatedResources: {}, resizeStatus: "x" })), "fine"],

    ["has a token of a pod on it", token(ref("mine", "uid-mine")), "fine"],
    ["has no free token", token(undefined), "403 node requested token not bound to a pod"],
    [
      "has none of a secret",
      token({ ...ref("mine", "x"), kind: "Secret" }),
      "403 node requested token not bound to a pod",
    ],
    [
      "has none of another version",
      token({ ...ref("mine", "x"), apiVersion: "v2" }),
      "403 node requested token not bound to a pod",
    ],
    ["has none of a pod without a name", token(ref("", "x")), "403 node requested token not bound to a pod"],
    [
      "has none of a pod without a uid",
      token(ref("mine", "")),
      "403 node requested token with a pod binding without a uid",
    ],
    ["has none of a pod that is not there", token(ref("none", "x")), '404 pod "none" not found'],
    [
      "has none of a former pod",
      token(ref("mine", "x")),
      "403 the UID in the bound object reference (x) does not match the UID in record (uid-mine). The object might have been deleted and then recreated",
    ],
    [
      "has none of others' pods",
      token(ref("theirs", "uid-theirs")),
      "403 node requested token bound to a pod scheduled on a different node",
    ],
    [
      "has none of pods that are nowhere",
      token(ref("free", "uid-free")),
      "403 node requested token bound to a pod scheduled on a different node",
    ],
    ["is not asked about accounts", create("serviceaccounts", named("robot")), "fine"],
    [
      "is not asked about their changes",
      update("serviceaccounts", "robot", changed(named("robot"), named("robot"))),
      "fine",
    ],

    [
      "makes its lease",
      lease(create("leases", named("n1"), { group: COORDINATION, namespace: "orch-node-lease" })),
      "fine",
    ],
    ["makes no other's lease", lease({ operation: "CREATE", object: named("n2"), name: "n2" }), LEASE],
    [
      "makes no lease of any name",
      lease({ operation: "CREATE", object: { metadata: { generateName: "n1" } }, name: "" }),
      LEASE,
    ],
    ["keeps its lease", lease({ operation: "UPDATE", object: named("n1"), name: "n1" }), "fine"],
    ["keeps no other's lease", lease({ operation: "UPDATE", object: named("n2"), name: "n2" }), LEASE],
    ["gives its lease up", lease({ operation: "DELETE", oldObject: named("n1"), name: "n1" }), "fine"],
    ["takes no other's lease away", lease({ operation: "DELETE", oldObject: named("n2"), name: "n2" }), LEASE],
    [
      "has no lease elsewhere",
      lease({ operation: "CREATE", object: named("n1"), name: "n1", namespace: "shop" }),
      '403 can only access leases in the "orch-node-lease" system namespace',
    ],

    ...[lease, drivers].flatMap((kind): [string, RequestParts, string][] => {
      const { uid, ...rest } = OWNER as { readonly uid: string };
      const own = { apiVersion: "v1", kind: "Node", name: "n1", uid };
      const write = (before: JsonObject | undefined, after: JsonObject) =>
        kind({
          operation: before === undefined ? "CREATE" : "UPDATE",
          ...(before && { oldObject: named("n1", before) }),
          ...{ object: named("n1", after), name: "n1" },
        });
      const what = kind === lease ? "lease" : "drivers";
      const ONE = '403 node "n1" can only set a single owner reference, to itself';
      return [
        [`makes its ${what} its node's`, write(undefined, { ownerReferences: [own] }), "fine"],
        [`makes its ${what} its node's later`, write({}, { ownerReferences: [own] }), "fine"],
        [
          `keeps the ${what} of a former node`,
          write({ ownerReferences: [{ ...own, uid: "y" }] }, { ownerReferences: [{ ...own, uid: "y" }] }),
          "fine",
        ],
        [
          `makes its ${what} of no former node`,
          write({}, { ownerReferences: [{ ...own, uid: "y" }] }),
          "403 node n1 UID mismatch: expected y got uid-n1",
        ],
        [`makes its ${what} of no other node`, write({}, { ownerReferences: [{ ...own, name: "n2" }] }), ONE],
        [
          `makes its ${what} of nothing else`,
          write({}, { ownerReferences: [{ ...rest, kind: "Pod", uid }] as never }),
          ONE,
        ],
        [`makes its ${what} of no two`, write({}, { ownerReferences: [own, { ...own, uid: "y" }] }), ONE],
        [`takes no owner of its ${what} away`, write({ ownerReferences: [own] }, {}), ONE],
        [
          `keeps its node from going by no ${what}`,
          write({}, { ownerReferences: [{ ...own, blockOwnerDeletion: true }] }),
          '403 node "n1" must not set blockOwnerDeletion on an owner reference',
        ],
        [
          `puts no finalizer on its ${what}`,
          write({}, { finalizers: ["a/b"] }),
          '403 node "n1" is not allowed to modify finalizers',
        ],
      ];
    }),

    ["makes its drivers known", drivers({ operation: "CREATE", object: named("n1"), name: "n1" }), "fine"],
    ["makes no other's known", drivers({ operation: "CREATE", object: named("n2"), name: "n2" }), DRIVERS],
    ["changes its drivers", drivers({ operation: "UPDATE", object: named("n1"), name: "n1" }), "fine"],
    ["changes no other's", drivers({ operation: "UPDATE", object: named("n2"), name: "n2" }), DRIVERS],
    ["takes its drivers away", drivers({ operation: "DELETE", oldObject: named("n1"), name: "n1" }), "fine"],
    ["takes no other's away", drivers({ operation: "DELETE", oldObject: named("n2"), name: "n2" }), DRIVERS],

    ["is not asked about config maps", create("configmaps", named("a")), "fine"],
    ["is not asked about pods of another group", create("pods", named("a"), { group: "example.com" }), "fine"],
    [
      "that does not say of which node it is changes nothing",
      create("configmaps", named("a"), { user: { name: "system:node:", groups: NODES } }),
      '403 could not determine node from user "system:node:"',
    ],
  ])("%s", async (_what, parts, answer) => expect(await asked(parts)).toBe(answer));
});

test.each([
  ["somebody of that group", { name: "ann", groups: NODES }],
  ["somebody of such a name", { name: "system:node:n1", groups: ["system:masters"] }],
])("%s is no agent", async (_who, user) => {
  expect(await asked({ ...create("nodes", named("n2")), user })).toBe("fine");
  expect(await asked({ ...mirror({}, [], {}), user })).toBe("fine");
});

test("where resizing cannot be taken back, nothing is said of it", async () => {
  const options = { ...fakeDependencies().options, isOn: () => false };
  expect(await asked(claimed(claim({ resizeStatus: "x" })), { options })).toBe(`${OTHER_FIELDS}: status`);
});

describe("a node agent, on pod certificate requests,", () => {
  const spec: JsonObject = {
    podName: "served",
    podUID: "uid-served",
    nodeName: "n1",
    nodeUID: "uid-n1",
    serviceAccountName: "robot",
    serviceAccountUID: "uid-robot",
  };
  const served = pod("served", "n1", { serviceAccountName: "robot" });
  const mirrored = { ...served, metadata: { ...(served["metadata"] as JsonObject), annotations: MARK } };
  const account = {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { namespace: "shop", name: "robot", uid: "uid-robot" },
  };
  const request = (change: JsonObject = {}, more: RequestParts = {}): RequestParts => ({
    group: "certificates.orch.io",
    namespace: "shop",
    ...create("podcertificaterequests", { metadata: { name: "r" }, spec: { ...spec, ...change } }),
    ...more,
  });

  test.each<[what: string, parts: RequestParts, stored: readonly JsonObject[], answer: string]>([
    ["asks for a pod that it runs", request(), [served, account], "fine"],
    [
      "asks for no other node",
      request({ nodeName: "n2" }),
      [served, account],
      '403 spec.nodeName is "n2", which is not the requesting node "n1"',
    ],
    ["gives its own UID", request({ nodeUID: "x" }), [served, account], '403 spec.nodeUID "x" is not that of the node'],
    ["asks for a pod that exists", request(), [account], '404 pod "served" not found'],
    [
      "gives the pod's UID",
      request({ podUID: "x" }),
      [served, account],
      '403 spec.podUID "x" is not that of the running pod',
    ],
    [
      "asks for no pod of another node",
      request(),
      [pod("served", "n2", { serviceAccountName: "robot" }), account],
      "403 the pod does not run on the requesting node",
    ],
    ["asks for no mirror pod", request(), [mirrored, account], "403 the pod is a mirror pod"],
    [
      "names the pod's service account",
      request({ serviceAccountName: "x" }),
      [served, account],
      '403 spec.serviceAccountName "x" is not that of the running pod',
    ],
    [
      "gives the UID of the service account",
      request({ serviceAccountUID: "x" }),
      [served, account],
      '403 spec.serviceAccountUID "x" is not that of the service account',
    ],
    [
      "changes none",
      request({}, { operation: "UPDATE", oldObject: {} }),
      [served, account],
      "403 unexpected operation UPDATE",
    ],
    ["answers none", request({}, { subresource: "status" }), [served, account], "403 unexpected subresource status"],
  ])("%s", async (_what, parts, stored, answer) => {
    expect(await asked(parts, storedObjects([...STORED, ...stored]))).toBe(answer);
  });
});

describe("audiences of the tokens that a node agent requests", () => {
  const volumeOf = (driver: string): JsonObject => ({ name: "v", csi: { driver } });
  const stored = [
    pod("web", "n1", {
      volumes: [
        tokenVolume("vault"),
        volumeOf("inline.example"),
        { name: "data", persistentVolumeClaim: { claimName: "bound" } },
        { name: "scratch", ephemeral: { volumeClaimTemplate: {} } },
        { name: "disk", azureFile: { shareName: "s" } },
      ],
    }),
    pod("lost", "n1", { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "none" } }] }),
    ...[
      ["bound", "of-claim.example"],
      ["web-scratch", "of-scratch.example"],
    ].flatMap(([name = "", driver = ""]) => [
      {
        ...{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { namespace: "shop", name } },
        spec: { volumeName: `pv-${name}` },
      },
      { apiVersion: "v1", kind: "PersistentVolume", metadata: { name: `pv-${name}` }, spec: { csi: { driver } } },
    ]),
    ...["inline.example", "of-claim.example", "of-scratch.example", "file.csi.azure.com"].map((name) => ({
      ...{ apiVersion: `${STORAGE}/v1`, kind: "CSIDriver", metadata: { name } },
      spec: { tokenRequests: [{ audience: `for-${name}` }] },
    })),
  ];
  const request = (audiences: string[], name = "web"): RequestParts =>
    create(
      "serviceaccounts",
      { spec: { audiences, boundObjectRef: ref(name, `uid-${name}`) } },
      { subresource: "token", name: "robot" },
    );
  const unnamed = (audience: string) => `403 audience "${audience}" not found in pod spec volume, `;
  const isOff = { options: { ...fakeDependencies().options, isOn: () => false } };

  test.each<[string, RequestParts, string]>([
    ["of its own volume", request(["vault"]), "fine"],
    ["of an inline driver", request(["for-inline.example"]), "fine"],
    ["of the driver of a claim", request(["for-of-claim.example"]), "fine"],
    ["of the driver of a generated claim", request(["for-of-scratch.example"]), "fine"],
    ["of a driver that replaces a built-in volume plugin", request(["for-file.csi.azure.com"]), "fine"],
    [
      "of nothing in the pod",
      request(["other"]),
      `${unnamed("other")}system:node:n1 is not authorized to request tokens for this audience`,
    ],
    [
      "of the API server, which no volume names",
      request([]),
      `${unnamed("")}system:node:n1 is not authorized to request tokens for this audience`,
    ],
    ["two at once", request(["vault", "other"]), "403 node may only request 0 or 1 audiences"],
    [
      "of a pod whose claim is gone",
      request(["other"], "lost"),
      '403 error validating audience "other": persistentvolumeclaim "none" not found',
    ],
  ])("%s", async (_what, parts, expected) => {
    expect(await asked(parts, storedObjects(stored))).toBe(expected);
    expect(await asked(parts, { ...storedObjects(stored), ...isOff })).toBe("fine");
  });

  test("may be granted by audience and service account", async () => {
    const seen: unknown[] = [];
    const authorizer: AdmissionDependencies["authorizer"] = {
      authorize({ user: _user, ...attributes }) {
        seen.push(attributes);
        return { kind: "allow", reason: "" };
      },
    };
    expect(await asked(request(["other"]), { ...storedObjects(stored), authorizer })).toBe("fine");
    expect(seen).toEqual([
      {
        ...{ kind: "resource", verb: "request-serviceaccounts-token-audience", apiGroup: "", apiVersion: "v1" },
        ...{ resource: "other", subresource: "", namespace: "shop", name: "robot" },
      },
    ]);
    const failing = { authorize: () => ({ kind: "noOpinion", reason: "", error: "no answer" }) as const };
    expect(await asked(request(["other"]), { ...storedObjects(stored), authorizer: failing })).toBe(
      `${unnamed("other")}error authorizing system:node:n1 to request tokens for this audience: no answer`,
    );
  });
});
