import { expect, test } from "@jest/globals";
import type { Identity } from "../../framework/objects/identity";
import { type GraphChange, OwnerGraph as PacedGraph, type ToDo } from "./owner-graph";
import { identityText } from "./owner-identity";

/** Runs a change to its end without a pause. */
function complete(change: GraphChange): ToDo {
  for (;;) {
    const { done, value } = change.next();
    if (done === true) return value;
  }
}

/** The graph whose changes are not interleaved. */
class OwnerGraph {
  readonly paced = new PacedGraph();
  readonly observe = (...of: Parameters<PacedGraph["observe"]>) => complete(this.paced.observe(...of));
  readonly forget = (uid: string) => complete(this.paced.forget(uid));
  readonly node = (uid: string) => this.paced.node(uid);
  readonly claim = (text: string) => this.paced.claim(text);
  readonly settle: PacedGraph["settle"] = (claim) => this.paced.settle(claim);
  readonly dependentsThatBlock: PacedGraph["dependentsThatBlock"] = (node) => this.paced.dependentsThatBlock(node);
  get size() {
    return this.paced.size;
  }
}

const identity = (uid: string, more: Partial<Identity> = {}): Identity => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name: `name-${uid}`,
  uid,
  namespace: "shop",
  ...more,
});

/** Returns an object with owners of these UIDs, named as `identity` names them. */
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

const nothing = { examine: [], lookUp: [], orphan: [], absent: [] };

test("an owner that no watch has shown is looked up", () => {
  const graph = new OwnerGraph();
  const text = identityText(identity("owner"));
  expect(graph.observe(identity("child"), object(["owner"]))).toEqual({ ...nothing, lookUp: [text] });
  expect(graph.observe(identity("second"), object(["owner"]))).toEqual(nothing);
  expect(graph.claim(text)?.identity).toEqual(identity("owner"));
});

test("an owner that a watch shows later is no longer looked up, and its dependents are left alone", () => {
  const graph = new OwnerGraph();
  const [text = ""] = graph.observe(identity("child"), object(["owner"])).lookUp;
  expect(graph.observe(identity("owner"), object())).toEqual(nothing);
  expect(graph.claim(text)).toBeUndefined();
  expect(graph.forget("owner").examine).toEqual(["child"]);
});

test("dependents of what goes are examined, and it is remembered as absent", () => {
  const graph = new OwnerGraph();
  graph.observe(identity("owner"), object());
  graph.observe(identity("child"), object(["owner"]));
  expect(graph.forget("owner")).toEqual({ ...nothing, examine: ["child"], absent: [identity("owner")] });
  expect(graph.forget("child")).toEqual(nothing);
  expect(graph.size).toBe(0);
});

test("the identity of an owner is removed with its last reference", () => {
  const graph = new OwnerGraph();
  const [text = ""] = graph.observe(identity("child"), object(["owner"])).lookUp;
  graph.observe(identity("child"), object([]));
  expect([graph.size, graph.claim(text)]).toEqual([1, undefined]);
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

const named = (name: string, more: object = {}) => {
  const { namespace: _, ...reference } = identity("owner", { name });
  return { ...reference, ...more };
};

test.each<[string, Partial<Identity>, object]>([
  ["name", {}, named("other")],
  ["kind", {}, named("name-owner", { kind: "Secret" })],
  ["version", {}, named("name-owner", { apiVersion: "nowhere.example.com/v1" })],
  ["namespace", { namespace: "elsewhere" }, named("name-owner")],
  ["scope", { namespace: "" }, named("name-owner")],
])("dependents that disagree about the %s of an owner are judged apart", (_what, more, reference) => {
  const graph = new OwnerGraph();
  const [first = ""] = graph.observe(identity("one"), object(["owner"])).lookUp;
  const [second = ""] = graph.observe(identity("two", more), object([reference])).lookUp;
  expect(new Set(["", first, second]).size).toBe(3);
  const claim = graph.claim(first);
  expect(claim && graph.settle(claim)).toEqual({ ...nothing, examine: ["one"] });
  expect(graph.claim(second)).toMatchObject({ settled: false });
  expect(graph.observe(identity("late"), object(["owner"]))).toEqual({ ...nothing, examine: ["late"] });
  expect(graph.observe(identity("late two", more), object([reference]))).toEqual(nothing);
});

test("a reference that describes its owner in another way is joined anew", () => {
  const graph = new OwnerGraph();
  const [wrong = ""] = graph.observe(identity("child"), object([named("other")])).lookUp;
  expect(graph.observe(identity("child"), object(["owner"])).lookUp).toEqual([identityText(identity("owner"))]);
  expect(graph.claim(wrong)).toBeUndefined();
  graph.observe(identity("owner"), object());
  expect(graph.observe(identity("child"), object([named("other")])).examine).toEqual(["child"]);
});

test("a dependent without a namespace does not block a namespaced owner", () => {
  const graph = new OwnerGraph();
  graph.observe(identity("owner"), object([], deleted("foregroundDeletion")));
  graph.observe(identity("child", { namespace: "" }), object([blocking("owner")]));
  const node = graph.node("owner");
  expect(node && graph.dependentsThatBlock(node)).toEqual([]);
});

test("an object that names itself as its owner does not wait for itself", () => {
  const graph = new OwnerGraph();
  graph.observe(identity("odd"), object([blocking("odd")], deleted("foregroundDeletion")));
  const node = graph.node("odd");
  expect(node && graph.dependentsThatBlock(node)).toEqual([]);
});

/** UIDs with a prefix: more than one step of a change processes. */
const many = (prefix: string) => Array.from({ length: 1000 }, (_, at) => `${prefix}${at}`);

test("owners that come and go while an object's references are replaced leave the graph as it should be", () => {
  const graph = new OwnerGraph();
  graph.observe(identity("child"), object(many("a")));
  const change = graph.paced.observe(identity("child"), object(many("b")));
  let steps = 0;
  while (change.next().done !== true) {
    const at = steps * 25;
    for (const uid of [`a${at}`, `b${at}`, `a${999 - at}`, `b${999 - at}`]) graph.observe(identity(uid), object());
    graph.forget(`b${at}`);
    steps += 1;
  }
  expect(steps).toBeGreaterThan(10);
  expect(graph.node("b999")?.dependents.size).toBe(1);
  expect(graph.node("a0")?.dependents.size).toBe(0);
  graph.forget("child");
  for (const uid of [...many("a"), ...many("b")]) graph.forget(uid);
  const claims = [...many("a"), ...many("b")].filter((uid) => graph.claim(identityText(identity(uid))) !== undefined);
  expect([graph.size, claims]).toEqual([0, []]);
});
