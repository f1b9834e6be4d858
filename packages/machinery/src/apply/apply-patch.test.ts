import { describe, expect, test } from "@jest/globals";
import {
  type JsonObject,
  type JsonValue,
  loadSchema,
  StructObjectType,
  type StructType,
  vocabularyOf,
} from "@orch/schema";
import type { StatusError } from "../errors/status-error";
import { ManagerSession } from "./testing/manager-session";
import { list, map, NUMBER, objectWith, struct, TEXT, versionsOf } from "./testing/sample-types";

const SPEC = struct({
  replicas: [NUMBER, { default: 1 }],
  inner: struct({ x: TEXT, y: TEXT }),
  whole: struct({ x: TEXT, y: TEXT }, { relation: "atomic" }),
  labels: map(TEXT),
  selector: map(TEXT, "atomic"),
  tags: list(TEXT, "set"),
  args: list(TEXT),
  ports: list(struct({ port: NUMBER, protocol: [TEXT, { default: "TCP" }], name: TEXT }), "map", ["port", "protocol"]),
});
const VERSIONS = versionsOf({ v1: objectWith(SPEC) });
const session = (): ManagerSession => new ManagerSession(VERSIONS);
const spec = (value: JsonObject): JsonObject => ({
  metadata: { name: "o" },
  ...(Object.keys(value).length === 0 ? {} : { spec: value }),
});

function failure(action: () => unknown): StatusError {
  try {
    action();
  } catch (error) {
    return error as StatusError;
  }
  throw new Error("nothing failed");
}

describe("ownership", () => {
  test("an applier owns what it gives, neither names nor the structs that lead there", () => {
    const all = session();
    all.apply("a", {
      metadata: { name: "o", labels: { l: "1" } },
      spec: { inner: { x: "1" }, labels: { k: "v" }, args: ["p"] },
    });
    expect(all.owners()).toEqual({
      "a (Apply)": [".metadata.labels.l", ".spec.args", ".spec.inner.x", ".spec.labels.k"],
    });
    expect(all.get("spec")).toEqual({ replicas: 1, inner: { x: "1" }, labels: { k: "v" }, args: ["p"] });
  });

  test("an empty value is owned so that it can be removed", () => {
    const all = session();
    all.apply("a", spec({ inner: {}, replicas: 1 }));
    expect(all.owners()).toEqual({ "a (Apply)": [".spec.inner", ".spec.replicas"] });
    all.apply("a", spec({ replicas: 1 }));
    expect(all.get("spec")).toEqual({ replicas: 1 });
  });

  test("the same value is owned together, and stays while one owner does", () => {
    const all = session();
    all.apply("a", spec({ replicas: 2, tags: ["x", "y"] }));
    all.apply("b", spec({ replicas: 2, tags: ["y"] }));
    all.apply("a", spec({}));
    expect(all.owners()).toEqual({ "b (Apply)": [".spec.replicas", '.spec.tags[="y"]'] });
    expect(all.get("spec")).toEqual({ replicas: 2, tags: ["y"] });
    all.apply("b", spec({}));
    expect(all.get("spec")).toBeUndefined();
    expect(all.owners()).toEqual({});
  });

  test("an update takes only the changed fields from all managers", () => {
    const all = session();
    all.apply("a", spec({ replicas: 2, labels: { k: "1", l: "1" } }));
    all.update("u", (object) => {
      (object["spec"] as JsonObject)["labels"] = { k: "2", l: "1", m: "3" };
    });
    expect(all.owners()).toEqual({
      "a (Apply)": [".spec.replicas", ".spec.labels.l"],
      "u (Update)": [".spec.labels.k", ".spec.labels.m"],
    });
  });

  test("an update that removes a value removes all ownership of it and of its children", () => {
    const all = session();
    all.apply("a", spec({ ports: [{ port: 80, name: "http" }], replicas: 2 }));
    all.update("u", (object) => {
      delete (object["spec"] as JsonObject)["ports"];
    });
    expect(all.owners()).toEqual({ "a (Apply)": [".spec.replicas"] });
  });
});

describe("lists and maps", () => {
  test("items are told apart by their keys, absent ones by their defaults", () => {
    const all = session();
    all.apply(
      "a",
      spec({
        ports: [
          { port: 80, name: "http" },
          { port: 53, protocol: "UDP" },
        ],
      }),
    );
    all.apply("b", spec({ ports: [{ port: 443 }, { port: 80, protocol: "TCP", name: "http" }] }));
    expect((all.get("spec") as JsonObject)["ports"]).toEqual([
      { port: 443, protocol: "TCP" },
      { port: 80, protocol: "TCP", name: "http" },
      { port: 53, protocol: "UDP" },
    ]);
    expect(all.owners()["b (Apply)"]).toEqual([
      '.spec.ports[port=80,protocol="TCP"]',
      '.spec.ports[port=443,protocol="TCP"]',
      '.spec.ports[port=80,protocol="TCP"].name',
      '.spec.ports[port=80,protocol="TCP"].port',
      '.spec.ports[port=80,protocol="TCP"].protocol',
      '.spec.ports[port=443,protocol="TCP"].port',
    ]);
  });

  /** Returns a session in which "a" has applied the ports 80 and 443. */
  const twoPorts = (): ManagerSession => {
    const all = session();
    all.apply("a", spec({ ports: [{ port: 80, name: "http" }, { port: 443 }] }));
    return all;
  };
  const ports = (all: ManagerSession): unknown => (all.get("spec") as { ports?: unknown }).ports;

  test("an item that is withdrawn goes with all inside, whoever owns that", () => {
    const all = twoPorts();
    all.update("u", (object) => {
      for (const port of (object["spec"] as { ports: JsonObject[] }).ports) port["name"] = "web";
    });
    expect(all.owners()["u (Update)"]).toHaveLength(2);
    all.apply("a", spec({ ports: [{ port: 443 }] }));
    expect(ports(all)).toEqual([{ port: 443, protocol: "TCP", name: "web" }]);
    expect(all.owners()["u (Update)"]).toEqual(['.spec.ports[port=443,protocol="TCP"].name']);
  });

  test("an item owned by another manager stays without the fields of the withdrawing manager", () => {
    const applied = twoPorts();
    applied.apply("b", spec({ ports: [{ port: 80 }] }));
    applied.apply("a", spec({ replicas: 2 }));
    expect(ports(applied)).toEqual([{ port: 80, protocol: "TCP" }]);

    const updated = session();
    updated.update("u", (object) => Object.assign(object, { spec: { ports: [{ port: 80, name: "http" }] } }));
    updated.apply("a", spec({ ports: [{ port: 80, name: "http" }, { port: 443 }] }));
    updated.apply("a", spec({}));
    expect(ports(updated)).toEqual([{ port: 80, protocol: "TCP", name: "http" }]);
  });

  test("the key of a map is withdrawn like an item, also where it holds an object", () => {
    const all = new ManagerSession(
      versionsOf({ v1: objectWith(struct({ classes: map(struct({ x: TEXT, y: TEXT })) })) }),
    );
    all.apply("a", spec({ classes: { one: { x: "1" }, two: { x: "1" }, three: { x: "1" } } }));
    all.update("u", (object) => {
      const { classes } = object["spec"] as { classes: Record<string, JsonObject> };
      for (const each of Object.values(classes)) each["y"] = "2";
    });
    all.apply("b", spec({ classes: { two: {} } }));
    all.apply("a", spec({ classes: { three: { x: "1" } } }));
    expect(all.get("spec")).toEqual({ classes: { two: { y: "2" }, three: { x: "1", y: "2" } } });
  });

  describe("new items stand where the applier has them", () => {
    const tags = (all: ManagerSession): unknown => (all.get("spec") as { tags: unknown }).tags;
    test.each<[live: string, applied: string, result: string, before: string]>([
      ["ac", "abc", "abc", "acb"],
      ["abc", "cadb", "cadb", "abcd"],
      // A change of the order alone is not a change.
      ["abc", "cab", "abc", "abc"],
      ["ac", "xaycz", "xaycz", "acxyz"],
      ["", "ba", "ba", "ba"],
    ])("%j, then %j by the same one", (live, applied, result, before) => {
      for (const [itemOrder, expected] of [
        ["applied", result],
        ["live", before],
      ] as const) {
        const all = session();
        all.apply("a", spec({ tags: [...live] }), { itemOrder });
        all.apply("a", spec({ tags: [...applied] }), { itemOrder });
        expect({ itemOrder, tags: tags(all) }).toEqual({ itemOrder, tags: [...expected] });
      }
    });

    test.each<[live: string, applied: string, result: string]>([
      ["sac", "abc", "sabc"],
      ["asc", "abc", "asbc"],
      ["acs", "abc", "abcs"],
      ["s", "ab", "sab"],
      ["asc", "cna", "scna"],
      ["asbt", "nba", "snbta"],
    ])("%j with items of others, then %j", (live, applied, result) => {
      const all = session();
      all.update("u", (object) => Object.assign(object, { spec: { tags: [...live] } }));
      all.apply("a", spec({ tags: [...applied] }));
      expect(tags(all)).toEqual([...result]);
    });
  });

  test("an atomic value is replaced and conflicts as a whole", () => {
    const all = session();
    all.apply("a", spec({ selector: { k: "1" }, whole: { x: "1" }, args: ["p"] }));
    const error = failure(() => all.apply("b", spec({ selector: { l: "1" }, whole: { y: "1" }, args: ["q"] })));
    expect(error.details?.causes?.map(({ field }) => field)).toEqual([".spec.args", ".spec.selector", ".spec.whole"]);
    all.apply("b", spec({ selector: { l: "1" }, whole: { y: "1" }, args: ["q"] }), { force: true });
    expect(all.get("spec")).toEqual({ replicas: 1, selector: { l: "1" }, whole: { y: "1" }, args: ["q"] });
    expect(Object.keys(all.owners())).toEqual(["b (Apply)"]);
  });
});

test("null releases a value: a scalar is removed, a composite keeps its parts", () => {
  const all = session();
  all.apply("a", spec({ inner: { x: "1", y: null }, labels: { k: "1" } }));
  expect(all.get("spec")).toEqual({ replicas: 1, inner: { x: "1" }, labels: { k: "1" } });
  all.apply("b", spec({ labels: null }));
  expect(all.get("spec")).toEqual({ replicas: 1, inner: { x: "1" }, labels: { k: "1" } });
  expect(failure(() => all.apply("b", spec({ inner: { x: null } }))).code).toBe(409);
  all.apply("b", spec({ inner: { x: null } }), { force: true });
  expect(all.get("spec")).toEqual({ replicas: 1, inner: {}, labels: { k: "1" } });
});

test("an object set to null is removed unless another manager owns a part", () => {
  const all = session();
  all.apply("a", spec({ inner: { x: "1" }, labels: { k: "1" }, ports: [{ port: 80 }], replicas: 2 }));
  all.apply("b", spec({ labels: { l: "1" } }));
  all.apply("a", spec({ inner: null, labels: null, ports: null, replicas: 2 }));
  expect(all.get("spec")).toEqual({ replicas: 2, labels: { l: "1" } });
});

test("the key of a map that is given as null has the zero value, whether it was there before or not", () => {
  const zero = (value: JsonObject): JsonObject => spec({ labels: value });
  for (const before of [undefined, {}, { k: "1" }]) {
    const all = session();
    if (before !== undefined) all.apply("a", zero(before));
    all.apply("a", zero({ k: null, l: "1" }));
    expect(all.get("spec")).toEqual({ replicas: 1, labels: { k: "", l: "1" } });
    expect(all.owners()).toEqual({ "a (Apply)": [".spec.labels.k", ".spec.labels.l"] });
    expect(all.apply("a", zero({ k: null, l: "1" }))).toBe(false);
  }
});

test("an empty struct is removed although another manager created it", () => {
  const all = session();
  all.update("u", (object) => Object.assign(object, { spec: { inner: { x: "1" } } }));
  all.apply("a", spec({ inner: { x: "2" } }), { force: true });
  expect(all.owners()["u (Update)"]).toContain(".spec.inner");
  all.apply("a", spec({ replicas: 1 }));
  expect(all.get("spec")).toEqual({ replicas: 1 });
});

describe("objects at the root", () => {
  const RULE = struct({ a: [TEXT, { default: "x" }], b: TEXT, tags: list(TEXT) });
  const rooted = (): ManagerSession => new ManagerSession(versionsOf({ v1: objectWith(RULE) }));

  test("go with the last that was applied in them", () => {
    const all = rooted();
    all.apply("a", spec({ tags: ["1"], b: "2" }));
    all.apply("a", spec({}));
    expect(all.get("spec")).toBeUndefined();
  });

  test("root objects stay while a manager owns a part", () => {
    const all = rooted();
    all.apply("a", spec({ tags: ["1"] }));
    all.update("u", (object) => Object.assign(object["spec"] as JsonObject, { b: "3" }));
    all.apply("a", { metadata: { name: "o", labels: { l: "1" } } });
    expect(all.get("spec")).toEqual({ a: "x", b: "3" });
    all.apply("a", { metadata: { name: "o" } });
    expect(all.get("metadata")).toMatchObject({ name: "o" });
  });
});

test("preconditions in the body are checked by the write", () => {
  const all = session();
  all.apply("a", spec({ replicas: 2 }));
  const before = all.get("metadata") as JsonObject;
  all.apply("a", { metadata: { name: "o", uid: "u-1" }, spec: { replicas: 2 } });
  expect(all.get("metadata")).toEqual({ ...before, uid: "u-1" });
});

describe("conflicts", () => {
  const conflicting = (): ManagerSession => {
    const all = session();
    all.apply("z", spec({ inner: { x: "1" } }));
    all.update("u", (object) => {
      Object.assign(object["spec"] as JsonObject, { replicas: 3, labels: { k: "1" } });
    });
    return all;
  };

  test("one is told in one line", () => {
    const error = failure(() => conflicting().apply("b", spec({ replicas: 4 })));
    expect([error.code, error.reason]).toEqual([409, "Conflict"]);
    expect(error.message).toBe('Apply failed with 1 conflict: conflict with "u" using v1: .spec.replicas');
    expect(error.details).toEqual({
      causes: [{ reason: "FieldManagerConflict", message: 'conflict with "u" using v1', field: ".spec.replicas" }],
    });
  });

  test("several are told by manager, a cause for each field", () => {
    const all = conflicting();
    const before = structuredClone(all.object);
    const error = failure(() => all.apply("b", spec({ replicas: 4, labels: { k: "2" }, inner: { x: "2", y: "2" } })));
    expect(error.message).toBe(
      'Apply failed with 3 conflicts: conflicts with "u" using v1:\n- .spec.replicas\n- .spec.labels.k\nconflicts with "z":\n- .spec.inner.x',
    );
    expect(error.details?.causes?.length).toBe(3);
    expect(all.object).toEqual(before);
  });

  test("force takes the fields from their owners", () => {
    const all = conflicting();
    all.apply("b", spec({ replicas: 4 }), { force: true });
    expect(all.owners()).toEqual({
      "b (Apply)": [".spec.replicas"],
      "z (Apply)": [".spec.inner.x"],
      "u (Update)": [".spec.labels", ".spec.labels.k"],
    });
  });

  test("the live value is no conflict, and a sub-resource is named", () => {
    const all = conflicting();
    all.apply("b", spec({ replicas: 3 }));
    all.update("s", (object) => Object.assign(object["spec"] as JsonObject, { args: ["1"] }), {
      subresource: "status",
    });
    expect(failure(() => all.apply("b", spec({ args: ["2"] }))).message).toContain(
      'conflict with "s" with subresource "status" using v1: .spec.args',
    );
  });
});

describe("the body", () => {
  test("must be of the request's version, without managedFields, and of its type", () => {
    const all = session();
    const wrongVersion = failure(() => all.apply("a", { apiVersion: "v2", ...spec({}) }));
    expect([wrongVersion.code, wrongVersion.message]).toEqual([
      400,
      "Incorrect version specified in apply patch. Specified patch version: v2, expected: v1",
    ]);
    const managed = failure(() => all.apply("a", { metadata: { name: "o", managedFields: [] } }));
    expect([managed.code, managed.message]).toEqual([400, "metadata.managedFields must be nil"]);
  });

  test.each<[JsonObject, string]>([
    [{ unknown: 1 }, ".spec.unknown: field not declared in schema"],
    [{ replicas: "1" }, ".spec.replicas: expected numeric (int or float), got"],
    [{ inner: [] }, ".spec.inner: expected map, got"],
    [{ tags: ["x", "x"] }, '.spec.tags: duplicate entries for key [="x"]'],
    [{ ports: [{ port: 1 }, { port: 1, protocol: "TCP" }] }, 'duplicate entries for key [port=1,protocol="TCP"]'],
    [{ ports: [{ name: "x" }] }, 'omits key field "port"'],
    [{ ports: [null] }, "may not have a null element"],
    [{ ports: [{ port: 80, name: 1 }] }, '.spec.ports[port=80,protocol="TCP"].name: expected string, got'],
    [{ args: ["a", 1] }, ".spec.args[1]: expected string, got"],
    [{ labels: { "k:{": 1 } }, ".spec.labels.k:{: expected string, got"],
    [{ a: 1, b: 2 }, "errors:\n  .spec.a: field not declared in schema\n  .spec.b: field not declared in schema"],
  ])("%j does not fit", (value, text) => {
    const error = failure(() => session().apply("a", spec(value)));
    expect(error.code).toBe(500);
    expect(error.message).toMatch(/^failed to create typed patch object: /);
    expect(error.message).toContain(text);
  });
});

describe("time and sameness", () => {
  test("the same apply again changes nothing, not even the time", () => {
    const all = session();
    all.apply("a", spec({ replicas: 2, ports: [{ port: 80 }] }));
    const before = JSON.stringify(all.object);
    expect(all.apply("a", spec({ replicas: 2, ports: [{ port: 80 }] }))).toBe(false);
    expect(JSON.stringify(all.object)).toBe(before);
  });

  test("a change of the value or of the claim sets the applier's time alone", () => {
    const all = session();
    all.apply("a", spec({ replicas: 2 }));
    all.apply("b", spec({ replicas: 2 }));
    all.apply("b", spec({ replicas: 2, args: ["x"] }));
    expect(all.times()).toEqual({ a: "2024-01-01T00:00:01Z", b: "2024-01-01T00:00:03Z" });
  });
});

test("an object without managedFields is owned by before-first-apply", () => {
  const all = session();
  all.object = { kind: "Sample", apiVersion: "v1", metadata: { name: "o" }, spec: { replicas: 2 } };
  const error = failure(() => all.apply("a", spec({ replicas: 3 })));
  expect(error.message).toContain('"before-first-apply" using v1: .spec.replicas');
  all.apply("a", spec({ replicas: 2 }));
  expect(all.owners()).toEqual({
    "a (Apply)": [".spec.replicas"],
    "before-first-apply (Update)": [".spec", ".spec.replicas"],
  });
});

describe("without a schema", () => {
  /** Fields at the root, as in custom resources without a schema. */
  const rootless = (): ManagerSession =>
    new ManagerSession(versionsOf({ v1: objectWith(struct({}), { keepsUnknownFields: true }) }));
  const body = (value: JsonObject): JsonObject => ({ metadata: { name: "o" }, ...value });

  test("keys are owned one by one, themselves and what they hold, and lists as a whole", () => {
    const type = objectWith(struct({}, { keepsUnknownFields: true }));
    const all = new ManagerSession(versionsOf({ v1: type }));
    all.apply("a", spec({ deep: { x: 1, l: [1] } }));
    all.apply("b", spec({ deep: { y: 2 } }));
    expect(all.owners()).toEqual({
      "a (Apply)": [".spec.deep", ".spec.deep.l", ".spec.deep.x"],
      "b (Apply)": [".spec.deep", ".spec.deep.y"],
    });
    all.apply("a", spec({}));
    expect(all.get("spec")).toEqual({ deep: { y: 2 } });
    expect(failure(() => all.apply("c", spec({ deep: { y: 3 } }))).code).toBe(409);
  });

  test("a key that is withdrawn goes with what others put in", () => {
    const all = rootless();
    all.apply("a", body({ data: { deep: { x: 1 }, kept: 1 } }));
    all.update("u", (object) => Object.assign((object["data"] as { deep: JsonObject }).deep, { y: 2 }));
    all.apply("a", body({ data: { kept: 1 } }));
    expect(all.get("data")).toEqual({ kept: 1 });
    expect(all.owners()).toEqual({ "a (Apply)": [".data", ".data.kept"] });
  });

  test("scalars and objects at the root are withdrawn", () => {
    const all = rootless();
    all.apply("a", body({ size: 1, name: "n", data: { x: 1 } }));
    expect(all.owners()).toEqual({ "a (Apply)": [".data", ".name", ".size", ".data.x"] });
    all.apply("a", body({ name: "n" }));
    expect([all.get("size"), all.get("name"), all.get("data")]).toEqual([undefined, "n", undefined]);
  });
});

describe("a type that changes", () => {
  const maps = (relation: "atomic" | "granular") => versionsOf({ v1: objectWith(struct({ m: map(TEXT, relation) })) });
  const after = (before: ManagerSession, relation: "atomic" | "granular"): ManagerSession => {
    const all = new ManagerSession(maps(relation));
    all.object = before.object;
    return all;
  };

  test("to atomic gives the whole to the owners of any part", () => {
    const before = new ManagerSession(maps("granular"));
    before.apply("a", spec({ m: { a: "1" } }));
    const all = after(before, "atomic");
    expect(failure(() => all.apply("b", spec({ m: { a: "1", b: "1" } }))).message).toContain('"a": .spec.m');
    all.apply("b", spec({ m: { a: "1" } }));
    expect(all.owners()).toEqual({ "a (Apply)": [".spec.m"], "b (Apply)": [".spec.m"] });
  });

  test("a change from atomic to granular assigns no owners, and later updates do not conflict", () => {
    const before = new ManagerSession(maps("atomic"));
    before.apply("a", spec({ m: { a: "1", b: "1" } }));
    const all = after(before, "granular");
    all.apply("b", spec({ m: { a: "2" } }));
    expect(all.get("spec")).toEqual({ m: { a: "2", b: "1" } });
  });

  test("loses the fields that are no more", () => {
    const all = session();
    all.apply("a", spec({ replicas: 2, inner: { x: "1" } }));
    const later = new ManagerSession(versionsOf({ v1: objectWith(struct({ replicas: NUMBER })) }));
    later.object = { ...all.object, spec: { replicas: 2 } };
    later.update("u", () => {});
    expect(later.owners()).toEqual({ "a (Apply)": [".spec.replicas"] });
  });
});

describe("several versions", () => {
  const V1 = objectWith(struct({ size: NUMBER, name: TEXT }));
  const V2 = objectWith(struct({ replicas: NUMBER, name: TEXT }));
  const versions = versionsOf({ v1: V1, v2: V2 }, (object, from, to) => {
    const { size, replicas, ...rest } = (object["spec"] ?? {}) as JsonObject;
    const count = from === "v1" ? size : replicas;
    const named = count === undefined ? {} : { [to === "v1" ? "size" : "replicas"]: count };
    return { ...object, spec: { ...named, ...rest } as Record<string, JsonValue> };
  });

  test("an entry is compared in its own version, and an applier has one for all", () => {
    const all = new ManagerSession(versions);
    all.apply("a", spec({ size: 1, name: "x" }));
    const error = failure(() => all.apply("b", spec({ replicas: 2 }), { apiVersion: "v2" }));
    expect(error.message).toContain('"a": .spec.size');
    all.apply("a", spec({ replicas: 1 }), { apiVersion: "v2" });
    expect(all.get("spec")).toEqual({ size: 1 });
    expect(all.owners()).toEqual({ "a (Apply)": [".spec.replicas"] });
  });

  test("fields owned in another version stay", () => {
    const all = new ManagerSession(versions);
    all.apply("a", spec({ size: 1, name: "x" }));
    all.apply("b", spec({ replicas: 1 }), { apiVersion: "v2" });
    all.apply("a", spec({ name: "x" }));
    expect(all.get("spec")).toEqual({ size: 1, name: "x" });
    all.apply("b", spec({}), { apiVersion: "v2" });
    expect(all.get("spec")).toEqual({ name: "x" });
  });

  test("an updater has an entry for each version, and takes from those in others", () => {
    const all = new ManagerSession(versions);
    all.apply("a", spec({ size: 1, name: "x" }));
    all.update("u", (object) => Object.assign(object["spec"] as JsonObject, { replicas: 5 }), { apiVersion: "v2" });
    expect(all.owners()).toEqual({ "a (Apply)": [".spec.name"], "u (Update)": [".spec.replicas"] });
  });

  test("entries of versions that are no more are dropped", () => {
    const all = new ManagerSession(versions);
    all.apply("a", spec({ replicas: 1 }), { apiVersion: "v2" });
    const later = new ManagerSession(versionsOf({ v1: V1 }));
    later.object = all.object;
    later.apply("b", spec({ size: 3 }));
    expect(later.owners()).toEqual({ "b (Apply)": [".spec.size"] });
  });
});

describe("a client that used to apply by itself", () => {
  const clientSideApply = { manager: "cli", annotation: "last" };
  const migrated = (): ManagerSession => {
    const all = session();
    const body = { kind: "Sample", apiVersion: "v1", ...spec({ replicas: 2, labels: { k: "1" } }) };
    all.update("cli-client-side", (object) => {
      Object.assign(object, structuredClone(body));
      (object["metadata"] as JsonObject)["annotations"] = { last: JSON.stringify(body) };
    });
    return all;
  };

  test("takes over what it applied, without conflicts, and the annotation follows", () => {
    const all = migrated();
    all.apply("cli", spec({ replicas: 3, labels: { k: "1" } }), { clientSideApply });
    expect(all.get("spec")).toEqual({ replicas: 3, labels: { k: "1" } });
    expect((all.get("metadata") as { annotations: JsonObject }).annotations["last"]).toBe(
      '{"apiVersion":"v1","kind":"Sample","metadata":{"name":"o"},"spec":{"labels":{"k":"1"},"replicas":3}}\n',
    );
  });

  test("loses the annotation when it applies more than annotations may hold", () => {
    const all = migrated();
    all.apply("cli", spec({ replicas: 3, labels: { k: "x".repeat(262_144) } }), { clientSideApply });
    expect((all.get("metadata") as { annotations?: JsonObject }).annotations).toBeUndefined();
  });

  test("conflicts over what others changed since, and other managers over everything", () => {
    const all = migrated();
    all.update("u", (object) => Object.assign(object["spec"] as JsonObject, { replicas: 7 }));
    const error = failure(() => all.apply("cli", spec({ replicas: 3, labels: { k: "2" } }), { clientSideApply }));
    expect(error.details?.causes?.map(({ field }) => field)).toEqual([".spec.replicas"]);
    expect(failure(() => migrated().apply("other", spec({ replicas: 3 }), { clientSideApply })).code).toBe(409);
  });
});

describe("built-in kinds", () => {
  const schema = loadSchema(vocabularyOf("orch"));
  const deployment = new StructObjectType("Deployment", schema.type("apps/v1", "Deployment") as StructType);
  const versions = { typeOf: () => deployment, convert: (object: JsonObject) => object };
  const containers = (...items: JsonObject[]): JsonObject => ({
    metadata: { name: "d", creationTimestamp: null },
    spec: { selector: { matchLabels: { a: "1" } }, template: { spec: { containers: items } } },
  });

  test("values in other forms are the same values", () => {
    const all = new ManagerSession(versions, "apps/v1");
    const container = (cpu: JsonValue): JsonObject => ({
      name: "c",
      image: "i",
      stdin: false,
      resources: { limits: { cpu } },
    });
    all.apply("a", containers(container("1000m")));
    all.apply("b", containers(container(1)));
    expect(all.apply("a", containers(container("1")))).toBe(false);
    expect(Object.keys(all.owners())).toEqual(["a (Apply)", "b (Apply)"]);
  });

  test("duplicate list items are merged into one by an apply", () => {
    const all = new ManagerSession(versions, "apps/v1");
    const container = (...env: JsonObject[]): JsonObject => ({ name: "c", image: "i", env });
    const [one, two] = [
      { name: "A", value: "1" },
      { name: "A", value: "2" },
    ];
    all.update("u", (object) => Object.assign(object, containers(container(one, { name: "B", value: "b" }, two))));
    const env = (): JsonValue => {
      const { template } = all.get("spec") as { template: { spec: { containers: { env: JsonValue }[] } } };
      return template.spec.containers[0]?.env ?? null;
    };
    all.apply("a", containers(container({ name: "B", value: "b" })));
    expect(env()).toEqual([one, { name: "B", value: "b" }, two]);
    const applied = containers(container({ name: "A", value: "3" }));
    expect(failure(() => all.apply("b", applied)).message).toContain('.env[name="A"]');
    all.apply("b", applied, { force: true });
    expect(env()).toEqual([
      { name: "A", value: "3" },
      { name: "B", value: "b" },
    ]);
  });

  test("a rule that aggregates roles goes when it is left out", () => {
    const role = new StructObjectType("ClusterRole", schema.type("rbac/v1", "ClusterRole") as StructType);
    const all = new ManagerSession({ typeOf: () => role, convert: (object: JsonObject) => object });
    const body = { metadata: { name: "r", creationTimestamp: null } };
    const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
    all.apply("a", { ...body, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "1" } }] } });
    all.apply("a", { ...body, rules });
    expect([all.get("aggregationRule"), all.get("rules")]).toEqual([undefined, rules]);
  });

  test("a container that is withdrawn goes with the environment that another one gave it", () => {
    const all = new ManagerSession(versions, "apps/v1");
    const [one, two] = [
      { name: "one", image: "i" },
      { name: "two", image: "i" },
    ];
    all.apply("a", containers(one, two));
    all.update("u", (object) => {
      const { template } = object["spec"] as { template: { spec: { containers: JsonObject[] } } };
      Object.assign(template.spec.containers[1] as JsonObject, { env: [{ name: "A", value: "1" }] });
    });
    all.apply("a", containers(one));
    const { template } = all.get("spec") as { template: { spec: { containers: JsonObject[] } } };
    expect(template.spec.containers.map(({ name }) => name)).toEqual(["one"]);
  });

  test("a probe that is left out goes with the defaults inside it", () => {
    const all = new ManagerSession(versions, "apps/v1");
    all.apply("a", containers({ name: "c", image: "i", livenessProbe: { httpGet: { path: "/", port: 80 } } }));
    all.apply("a", containers({ name: "c", image: "i" }));
    expect(JSON.stringify(all.get("spec"))).not.toContain("livenessProbe");
  });
});
