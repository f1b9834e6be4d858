import { describe, expect, test } from "@jest/globals";
import { type FieldTree, parseFields } from "@orch/machinery";
import { type JsonObject, writeJson } from "@orch/schema";
import { V1 } from "../testing/harness";
import { gadgets, widgets } from "../testing/widgets";
import { Projection } from "./projection";
import { encodeStored, resourceForm } from "./resource-form";
import { StoredEntry } from "./stored-entry";

const form = resourceForm(widgets);
const fields = (text: string) => parseFields(new URLSearchParams({ fields: text })) as FieldTree;

const OBJECT = {
  metadata: {
    name: "a",
    namespace: "n",
    uid: "u",
    labels: { "example.com/tier": "web", other: 'quoted " } text' },
    annotations: { long: "x".repeat(200) },
  },
  spec: {
    size: 12,
    empty: {},
    none: null,
    list: [{ name: "x", image: "i" }, { image: "j" }, { name: "z" }],
    texts: ["a", "b"],
    deep: [[{ k: 1, l: 2 }]],
    é: { 'a"b': true },
  },
  status: { phase: "Running", conditions: [] },
};

const copied = (): JsonObject => JSON.parse(JSON.stringify(OBJECT)) as JsonObject;
const entry = () => new StoredEntry(form, "n/a", 7, encodeStored(form, copied()));
/** Bytes as another program may have stored them. */
const spaced = () => {
  const { metadata, ...rest } = copied();
  const head = `{"kind":"Widget","apiVersion":${JSON.stringify(V1.apiVersion)},"metadata":${writeJson(metadata as JsonObject)}`;
  const members = Object.entries(rest).map(
    ([name, value]) => `, ${JSON.stringify(name)}: ${JSON.stringify(value, undefined, 1)}`,
  );
  return new StoredEntry(form, "n/a", 7, Buffer.from(`${head}${members.join("")}}`));
};
const item = (text: string, of = entry()) => JSON.parse(new Projection(fields(text)).item(of, V1).toString());

const IDENTITY = { resourceVersion: "7", name: "a", namespace: "n", uid: "u" };

describe("a projection", () => {
  test.each<[string, object]>([
    [".metadata.name", {}],
    [".metadata.name,.status.phase", { status: { phase: "Running" } }],
    [".status", { status: OBJECT.status }],
    [".spec.size", { spec: { size: 12 } }],
    [".spec.none,.spec.empty", { spec: { empty: {}, none: null } }],
    [".spec.absent,.absent.x", {}],
    [".spec.size.further", {}],
    [".spec.list[*].name", { spec: { list: [{ name: "x" }, {}, { name: "z" }] } }],
    [".spec.list[*]", { spec: { list: OBJECT.spec.list } }],
    [".spec.list.name", {}],
    [".spec.texts[*].x", { spec: { texts: [{}, {}] } }],
    [".spec.deep[*][*].k", { spec: { deep: [[{ k: 1 }]] } }],
    [".status.conditions[*].type", {}],
    [".spec['é']['a\"b']", { spec: { é: { 'a"b': true } } }],
    [
      ".spec.size,.spec.empty,.spec.none,.spec.texts,.spec.deep,.absent",
      { spec: { size: 12, empty: {}, none: null, texts: ["a", "b"], deep: [[{ k: 1, l: 2 }]] } },
    ],
  ])("has the fields %s and the identity", (text, rest) => {
    const expected = { metadata: IDENTITY, ...rest };
    expect(item(text)).toEqual(expected);
    expect(item(text, spaced())).toEqual(expected);
    const value = { kind: "Widget", apiVersion: "v1", ...copied() };
    const { resourceVersion: _, ...identity } = IDENTITY;
    expect(new Projection(fields(text)).ofValue(value)).toEqual({
      kind: "Widget",
      apiVersion: "v1",
      metadata: identity,
      ...rest,
    });
  });

  test("has further metadata, and all metadata", () => {
    expect(item(".metadata.labels['example.com/tier']")).toEqual({
      metadata: { ...IDENTITY, labels: { "example.com/tier": "web" } },
    });
    expect(item(".metadata")).toEqual({ metadata: { resourceVersion: "7", ...OBJECT.metadata } });
  });

  test("has kind and apiVersion in a single object; items of built-in kinds do not, as in whole lists", () => {
    const projection = new Projection(fields(".status.phase"));
    expect(projection.object(entry(), V1).toString()).toMatch(/^\{"kind":"Widget","apiVersion":"test.example\/v1",/);
    expect(projection.item(entry(), V1).toString()).toMatch(/^\{"metadata":/);
    const custom = resourceForm({ ...gadgets, isCustom: true });
    const gadget = new StoredEntry(custom, "a", 7, encodeStored(custom, { metadata: { name: "a" } }));
    expect(projection.item(gadget, gadgets.storage).toString()).toBe(
      '{"kind":"Gadget","apiVersion":"v1","metadata":{"resourceVersion":"7","name":"a"}}',
    );
  });

  test("is of the requested version", () => {
    const [, , v2] = widgets.versions;
    if (v2 === undefined) throw new Error("there is no v2");
    const projection = new Projection(fields(".spec"));
    const whole = JSON.parse(entry().json(v2).toString());
    expect(JSON.parse(projection.object(entry(), v2).toString())).toEqual({
      kind: whole.kind,
      apiVersion: v2.apiVersion,
      metadata: IDENTITY,
      spec: whole.spec,
    });
  });
});
