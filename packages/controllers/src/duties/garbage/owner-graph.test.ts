import { expect, test } from "@jest/globals";
import type { Identity } from "./identity";
import { OwnerGraph } from "./owner-graph";

const identity = (uid: string, more: Partial<Identity> = {}): Identity => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name: `name-${uid}`,
  uid,
  namespace: "shop",
  ...more,
});

/** An object with owners of these uids, named as `identity` names them. */
function object(owners: readonly (string | object)[] = [], metadata: object = {}) {
  const ownerReferences = owners.map((owner) => {
    if (typeof owner !== "string") return owner;
    const { namespace: _, ...reference } = identity(owner);
    return reference;
  });
  return { metadata: { ...metadata, ownerReferences } } as never;
}

const blocking = (uid: string) => {
  const { namespace: _, ...reference } = identity(uid);
  return { ...reference, blockOwnerDeletion: true };
};
const deleted = (...finalizers: string[]) => ({ deletionTimestamp: "2024-05-01T12:00:00Z", finalizers });

test("an owner that nobody has seen is looked for", () => {
  const graph = new OwnerGraph();
  expect(graph.observe(identity("child"), object(["owner"]))).toEqual({ examine: ["owner"], orphan: [], absent: [] });
  expect(graph.node("owner")).toMatchObject({ virtual: true, identity: identity("owner") });
});

test("an owner that shows itself later is no longer looked for, and its dependents are left alone", () => {
  const graph = new OwnerGraph();
  graph.observe(identity("child"), object(["owner"]));
  expect(graph.observe(identity("owner"), object()).examine).toEqual([]);
  expect(graph.node("owner")?.virtual).toBe(false);
});

test("dependents of what goes are examined, and it is remembered as absent", () => {
  const graph = new OwnerGraph();
  graph.observe(identity("owner"), object());
  graph.observe(identity("child"), object(["owner"]));
  expect(graph.forget("owner")).toEqual({ examine: ["child"], orphan: [], absent: [identity("owner")] });
  expect(graph.forget("child")).toEqual({ examine: [], orphan: [], absent: [] });
  expect(graph.size).toBe(0);
});

test("a virtual owner goes with its last dependent", () => {
  const graph = new OwnerGraph();
  graph.observe(identity("child"), object(["owner"]));
  graph.observe(identity("child"), object([]));
  expect(graph.node("owner")).toBeUndefined();
});

test("foreground deletion examines dependents and owner once, and the owner again as each goes", () => {
  const graph = new OwnerGraph();
  graph.observe(identity("owner"), object());
  graph.observe(identity("child"), object([blocking("owner")]));
  expect(graph.observe(identity("owner"), object([], deleted("foregroundDeletion"))).examine).toEqual([
    "child",
    "owner",
  ]);
  expect(graph.observe(identity("owner"), object([], deleted("foregroundDeletion"))).examine).toEqual([]);
  expect(graph.dependentsThatBlock(graph.node("owner") as never).map(({ uid }) => uid)).toEqual(["child"]);
  expect(graph.forget("child").examine).toEqual(["owner"]);
});

test("a reference that no longer blocks lets the owner be examined", () => {
  const graph = new OwnerGraph();
  graph.observe(identity("owner"), object());
  graph.observe(identity("child"), object([blocking("owner")]));
  expect(graph.observe(identity("child"), object(["owner"])).examine).toEqual(["owner"]);
});

test("an owner with the orphan finalizer lets its dependents be freed", () => {
  const graph = new OwnerGraph();
  expect(graph.observe(identity("owner"), object([], deleted("orphan")))).toMatchObject({
    orphan: ["owner"],
    examine: [],
  });
});

test.each([
  ["under another name", identity("owner", { name: "other" })],
  ["in another namespace", identity("owner", { namespace: "elsewhere" })],
])("a dependent is doubted when its owner shows itself %s", (_what, real) => {
  const before = new OwnerGraph();
  before.observe(real, object());
  expect(before.observe(identity("child"), object(["owner"])).examine).toEqual(["child"]);
  const after = new OwnerGraph();
  after.observe(identity("child"), object(["owner"]));
  expect(after.observe(real, object()).examine).toEqual(["child"]);
});

test("when dependents disagree about a virtual owner, only those it is absent for are examined, then the next name is tried", () => {
  const graph = new OwnerGraph();
  const { namespace: _, ...other } = identity("owner", { name: "other" });
  graph.observe(identity("one"), object(["owner"]));
  graph.observe(identity("two"), object([other]));
  expect(graph.confirmAbsent(identity("owner"))).toEqual({
    examine: ["one", "owner"],
    orphan: [],
    absent: [identity("owner")],
  });
  expect(graph.node("owner")?.identity).toEqual(identity("owner", { name: "other" }));
});

test("what a watch has shown is not forgotten because a wrong description of it is absent", () => {
  const graph = new OwnerGraph();
  graph.observe(identity("owner"), object());
  const wrong = identity("owner", { name: "other" });
  const { namespace: _, ...reference } = wrong;
  graph.observe(identity("child"), object([reference]));
  expect(graph.confirmAbsent(wrong)).toEqual({ examine: ["child"], orphan: [], absent: [wrong] });
  expect(graph.node("owner")).toBeDefined();
});

test("an object that names itself as its owner does not wait for itself", () => {
  const graph = new OwnerGraph();
  graph.observe(identity("odd"), object([blocking("odd")], deleted("foregroundDeletion")));
  const node = graph.node("odd");
  expect(node && graph.dependentsThatBlock(node)).toEqual([]);
});
