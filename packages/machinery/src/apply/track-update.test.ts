import { describe, expect, test } from "@jest/globals";
import type { JsonObject, JsonValue } from "@orch/schema";
import { metaOf } from "../objects/object-meta";
import { ManagerSession } from "./testing/manager-session";
import { map, NUMBER, objectWith, struct, TEXT, versionsOf } from "./testing/sample-types";

const VERSIONS = versionsOf({ v1: objectWith(struct({ replicas: NUMBER, labels: map(TEXT) })) });
const session = (): ManagerSession => new ManagerSession(VERSIONS);

const setting = (spec: JsonObject) => (object: JsonObject) => {
  object["spec"] = { ...(object["spec"] as JsonObject), ...spec };
};
const managed =
  (entries: JsonValue | undefined, spec: JsonObject = {}) =>
  (object: JsonObject) => {
    const metadata = object["metadata"] as JsonObject;
    if (entries === undefined) delete metadata["managedFields"];
    else metadata["managedFields"] = entries;
    setting(spec)(object);
  };

test("the creator owns all fields of the object, including structs", () => {
  const all = session();
  all.update("u", setting({ replicas: 1, labels: { k: "1" } }));
  expect(all.owners()).toEqual({ "u (Update)": [".spec", ".spec.labels", ".spec.replicas", ".spec.labels.k"] });
  const [entry] = metaOf(all.object ?? {}).managedFields ?? [];
  expect(JSON.stringify(entry)).toBe(
    '{"manager":"u","operation":"Update","apiVersion":"v1","time":"2024-01-01T00:00:01Z","fieldsType":"FieldsV1",' +
      '"fieldsV1":{"f:spec":{".":{},"f:labels":{".":{},"f:k":{}},"f:replicas":{}}}}',
  );
});

test("a write of the same values changes neither entries nor times", () => {
  const all = session();
  all.update("u", setting({ replicas: 1 }));
  const before = JSON.stringify(all.object);
  all.update("u", setting({ replicas: 1 }));
  all.update("v", setting({ replicas: 1 }));
  expect(JSON.stringify(all.object)).toBe(before);
});

test("a new value of a field that the writer owns already keeps its time", () => {
  const all = session();
  all.update("u", setting({ replicas: 1 }));
  all.update("u", setting({ replicas: 2 }));
  expect(all.times()).toEqual({ u: "2024-01-01T00:00:01Z" });
  all.update("u", setting({ labels: { k: "1" } }));
  expect(all.times()).toEqual({ u: "2024-01-01T00:00:03Z" });
});

test("a sub-resource's writes are kept apart", () => {
  const all = session();
  all.update("u", setting({ replicas: 1 }));
  all.update("u", managed([{}], { labels: {} }), { subresource: "status" });
  const entries = metaOf(all.object ?? {}).managedFields ?? [];
  expect(entries.map(({ subresource }) => subresource)).toEqual([undefined, "status"]);
});

const ENTRY = {
  manager: "x",
  operation: "Update",
  apiVersion: "v1",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:spec": { "f:replicas": {} } },
};

describe("entries that a client sends", () => {
  const started = (): ManagerSession => {
    const all = session();
    all.apply("a", { metadata: { name: "o" }, spec: { replicas: 1 } });
    return all;
  };

  test("one empty entry strips all, and the writer owns what it changes with it", () => {
    const all = started();
    all.update("u", managed([{}]));
    expect(metaOf(all.object ?? {}).managedFields).toBeUndefined();
    const other = started();
    other.update("u", managed([{}], { labels: { k: "1" } }));
    expect(other.owners()).toEqual({ "u (Update)": [".spec.labels", ".spec.labels.k"] });
  });

  test.each<[string, JsonValue | undefined]>([
    ["no list", undefined],
    ["an empty list", []],
    ["entries of an unknown form", [{ ...ENTRY, fieldsType: "FieldsV9" }]],
    ["entries that hold no set", [{ ...ENTRY, fieldsV1: { bad: {} } }]],
    ["entries of no version", [{ ...ENTRY, apiVersion: "" }]],
    ["entries of an unknown version", [{ ...ENTRY, apiVersion: "v9" }]],
    ["entries of another group", [{ ...ENTRY, apiVersion: "apps/v1" }]],
    ["entries of unknown fields", [{ ...ENTRY, fieldsV1: { "f:nope": { "f:x": {} } } }]],
    ["entries that hold the root alone", [{ ...ENTRY, fieldsV1: { ".": {} } }]],
    ...["x:foo", "foo", "", "k:{bad", "k:[]", "v:", "i:x", "i:"].map((element): [string, JsonValue] => [
      `entries with the path element ${JSON.stringify(element)}`,
      [{ ...ENTRY, fieldsV1: { "f:spec": { "f:replicas": {}, [element]: {} } } }],
    ]),
    ["one such entry of two", [ENTRY, { ...ENTRY, manager: "y", fieldsV1: { "f:spec": { "x:foo": {} } } }]],
  ])("%s leaves the stored ones", (_behaviour, entries) => {
    const all = started();
    all.update("u", managed(entries));
    expect(all.owners()).toEqual({ "a (Apply)": [".spec.replicas"] });
  });

  test("entries of an unknown operation are kept for validation to refuse", () => {
    const all = started();
    all.update("u", managed([{ ...ENTRY, operation: "Guess" }]));
    expect(all.owners()).toEqual({ "x (Guess)": [".spec.replicas"] });
  });

  test("entries of a version that is no more are left out, the others count", () => {
    const all = started();
    all.update("u", managed([ENTRY, { ...ENTRY, manager: "y", apiVersion: "v9" }]));
    expect(all.owners()).toEqual({ "x (Update)": [".spec.replicas"] });
  });

  test("content of a member's leaf is dropped", () => {
    const all = started();
    all.update("u", managed([{ ...ENTRY, fieldsV1: { "f:spec": { ".": { "f:y": 1 }, "f:replicas": {} } } }]));
    const [entry] = metaOf(all.object ?? {}).managedFields ?? [];
    expect(entry?.fieldsV1).toEqual({ "f:spec": { ".": {}, "f:replicas": {} } });
  });

  test("others take the place of the stored ones", () => {
    const all = started();
    const entry = { manager: "x", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1" };
    all.update("u", managed([{ ...entry, fieldsV1: { "f:spec": { "f:replicas": {} } } }]));
    expect(all.owners()).toEqual({ "x (Apply)": [".spec.replicas"] });
  });
});

test("an object without entries gets none by updates", () => {
  const all = session();
  all.object = { kind: "Sample", apiVersion: "v1", metadata: { name: "o" }, spec: { replicas: 1 } };
  all.update("u", setting({ replicas: 2 }));
  expect(all.owners()).toEqual({});
});

test("the oldest of more than ten updaters are merged", () => {
  const all = session();
  all.apply("a", { metadata: { name: "o" }, spec: { replicas: 1 } });
  for (let n = 0; n < 15; n++) {
    all.update(`u${n}`, (object) => {
      const spec = object["spec"] as { labels?: JsonObject };
      spec.labels = { ...spec.labels, [`k${n}`]: "1" };
    });
  }
  const owners = all.owners();
  expect(Object.keys(owners).filter((owner) => owner.endsWith("(Update)"))).toHaveLength(10);
  expect(owners["a (Apply)"]).toEqual([".spec.replicas"]);
  expect(owners["ancient-changes (Update)"]).toEqual([
    ".spec.labels",
    ...[0, 1, 2, 3, 4, 5].map((n) => `.spec.labels.k${n}`),
  ]);
  expect(all.times()["ancient-changes"]).toBe("2024-01-01T00:00:07Z");
});

test("merged updaters of a subresource belong to the main resource", () => {
  const all = session();
  for (let n = 0; n < 11; n++) {
    const label = (object: JsonObject) => {
      const spec = (object["spec"] ?? {}) as { labels?: JsonObject };
      object["spec"] = { ...spec, labels: { ...spec.labels, [`k${n}`]: "1" } };
    };
    all.update(`u${n}`, label, n === 1 ? { subresource: "status" } : {});
  }
  expect(all.owners()["ancient-changes (Update)"]).toEqual([
    ".spec",
    ".spec.labels",
    ".spec.labels.k0",
    ".spec.labels.k1",
  ]);
  const { managedFields = [] } = metaOf(all.object ?? {});
  expect(managedFields.find(({ manager }) => manager === "ancient-changes")?.subresource).toBeUndefined();
});
