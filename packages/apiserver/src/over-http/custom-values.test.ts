// Custom objects with null values and absent fields.
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import type { ApiClient } from "../testing/api-client";
import { DEFINITIONS, definition, version, WIDGETS, widget } from "../testing/custom-definitions";
import { useServer } from "../testing/use-server";

let admin: ApiClient;

useServer((running) => ({ admin } = running));

const PRESERVES = { "x-orch-preserve-unknown-fields": true };
const STRUCT = { type: "object", properties: { x: { type: "string" } } };
const SET = { type: "array", "x-orch-list-type": "set", items: { type: "string" } };
const ITEM = { type: "object", required: ["k"], properties: { k: { type: "string" } } };
const KEYED = { type: "array", "x-orch-list-type": "map", "x-orch-list-map-keys": ["k"], items: ITEM };
const SPEC = {
  type: "object",
  properties: {
    text: { type: "string" },
    filled: { type: "string", default: "x" },
    nullable: { type: "string", nullable: true },
    list: { type: "array", items: { type: "string" } },
    map: { type: "object", additionalProperties: { type: "string" } },
    size: { type: "integer" },
    flag: { type: "boolean" },
    struct: STRUCT,
    bare: { type: "object" },
    open: {
      type: "object",
      ...PRESERVES,
      properties: {
        a: STRUCT,
        items: { type: "array", items: STRUCT },
        entries: { type: "object", additionalProperties: STRUCT },
      },
    },
    openItems: { type: "array", ...PRESERVES, items: { type: "object", properties: { a: STRUCT } } },
    set: SET,
    nullableSet: { ...SET, nullable: true },
    keyed: KEYED,
    nullableKeyed: { ...KEYED, nullable: true },
    nullableStruct: { ...STRUCT, nullable: true },
    nullableMap: { type: "object", additionalProperties: { type: "string" }, nullable: true },
    untyped: PRESERVES,
    nullableUntyped: { ...PRESERVES, nullable: true },
    filledUntyped: { ...PRESERVES, default: { d: 1 } },
    untypedEntries: { type: "object", additionalProperties: PRESERVES },
    number: { "x-orch-int-or-string": true },
  },
};
const versions = (spec: object) => [
  version("v1", {
    storage: true,
    schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
    selectableFields: [{ jsonPath: ".spec.size" }, { jsonPath: ".spec.flag" }, { jsonPath: ".spec.text" }],
  }),
];

beforeAll(async () => {
  await admin.post(DEFINITIONS, definition({ versions: versions(SPEC) }));
  while ((await admin.get(WIDGETS)).code !== 200) await new Promise((resolve) => setTimeout(resolve, 10));
});

describe("a null of what cannot be null", () => {
  const nulls = { text: null, filled: null, nullable: null, list: null, map: { a: null } };

  test("is not there, or is the default, in what is created", async () => {
    const { code, json } = await admin.post(WIDGETS, widget("created", { spec: nulls }));
    expect([code, json.spec]).toEqual([201, { filled: "x", nullable: null, map: {}, filledUntyped: { d: 1 } }]);
  });

  test.each<[object, string | undefined]>([
    [{ text: null }, "spec.text"],
    [{ list: null }, "spec.list"],
    [{ map: { a: null } }, "spec.map.a"],
    [{ filled: null }, undefined],
    [{ nullable: null }, undefined],
    [{ number: null }, "spec.number"],
    [{ open: null }, "spec.open"],
  ])("is refused in what is applied: %j", async (spec, field) => {
    const headers = { "content-type": "application/apply-patch+yaml" };
    const path = `${WIDGETS}/applied?fieldManager=tests&dryRun=All`;
    const { code, json } = await admin.ask("PATCH", path, { headers, body: widget("applied", { spec }) });
    const { causes } = (json.details ?? {}) as unknown as { readonly causes?: readonly { readonly field: string }[] };
    expect([code, causes?.map((cause) => cause.field)]).toEqual(
      field === undefined ? [201, undefined] : [422, [field]],
    );
  });
});

const DEFAULTS = { filled: "x", filledUntyped: { d: 1 } };

/** Applies specs one after another as one manager. @returns the code of each answer, and the last spec and its owned fields */
async function applied(name: string, ...specs: readonly object[]) {
  const codes: number[] = [];
  let last: JsonObject = {};
  for (const spec of specs) {
    const { code, json } = await admin.ask("PATCH", `${WIDGETS}/${name}?fieldManager=tests`, {
      headers: { "content-type": "application/apply-patch+yaml" },
      body: widget(name, { spec }),
    });
    codes.push(code);
    last = json as unknown as JsonObject;
  }
  const { managedFields = [] } = last["metadata"] as { managedFields?: { fieldsV1: { "f:spec"?: object } }[] };
  return { codes, spec: last["spec"], owned: managedFields[0]?.fieldsV1["f:spec"] };
}

describe("an applied field that the schema does not declare", () => {
  test.each<[object, object, object]>([
    [{ open: { a: { y: 1 } } }, { open: { a: {} } }, { "f:open": { "f:a": { "f:y": {} } } }],
    [{ open: { z: 2 } }, { open: { z: 2 } }, { "f:open": { "f:z": {} } }],
    [{ open: { items: [{ y: 1 }] } }, { open: { items: [{}] } }, { "f:open": { "f:items": {} } }],
    [
      { open: { entries: { k: { y: 1 } } } },
      { open: { entries: { k: {} } } },
      { "f:open": { "f:entries": { "f:k": { ".": {}, "f:y": {} } } } },
    ],
    [{ openItems: [{ a: { y: 1 }, b: 2 }] }, { openItems: [{ a: {}, b: 2 }] }, { "f:openItems": {} }],
    [{ bare: { y: 1 } }, { bare: {} }, { "f:bare": { "f:y": {} } }],
  ])("is owned and pruned below an object or list that preserves: %j", async (spec, stored, owned) => {
    const name = `open-${Buffer.from(JSON.stringify(spec)).toString("hex").slice(0, 60)}`;
    const result = { spec: { ...DEFAULTS, ...stored }, owned };
    expect(await applied(name, spec)).toEqual({ codes: [201], ...result });
    expect(await applied(name, spec, spec)).toEqual({ codes: [200, 200], ...result });
  });

  test("is refused elsewhere", async () => {
    expect((await applied("closed", { struct: { y: 1 } })).codes).toEqual([500]);
  });
});

describe("an applied empty value", () => {
  const ONE = { set: ["1"], nullableSet: ["1"], keyed: [{ k: "1" }], nullableKeyed: [{ k: "1" }] };
  const cases = Object.entries(ONE).flatMap(([name, one], place): [string, object, object, object][] => [
    [`list-${place}-a`, { text: "x" }, { [name]: [] }, { [name]: [] }],
    [`list-${place}-b`, { [name]: one }, { [name]: [] }, { [name]: [] }],
    [`list-${place}-c`, { [name]: one }, { [name]: [], text: "x" }, { [name]: [], text: "x" }],
  ]);
  test.each<[string, object, object, object]>([
    ...cases,
    ["set", { nullableSet: null, text: "x" }, { nullableSet: [] }, { nullableSet: [] }],
    ["keyed", { nullableKeyed: null, text: "x" }, { nullableKeyed: [] }, { nullableKeyed: [] }],
    ["struct", { nullableStruct: null }, { nullableStruct: {} }, { nullableStruct: {} }],
    ["map", { nullableMap: null, text: "x" }, { nullableMap: {} }, { nullableMap: {} }],
    ["untyped", { nullableUntyped: null, text: "x" }, { nullableUntyped: {} }, { nullableUntyped: {} }],
  ])("stays, with what is beside it: %s, %j, then %j", async (name, before, after, stored) => {
    const { codes, spec } = await applied(`empty-${name}`, before, after, after);
    expect([codes, spec]).toEqual([[201, 200, 200], { ...DEFAULTS, ...stored }]);
  });

  test("leaves the items of other managers", async () => {
    await admin.post(`${WIDGETS}?fieldManager=other`, widget("shared", { spec: { set: ["1", "2"] } }));
    const { codes, spec } = await applied("shared", { set: ["1", "3"] }, { set: [] });
    expect([codes, spec]).toEqual([[200, 200], { ...DEFAULTS, set: ["1", "2"] }]);
  });
});

test.each<[string, object, object]>([
  ["a", { untyped: null }, {}],
  ["b", { filledUntyped: null }, {}],
  ["c", { nullableUntyped: null }, { nullableUntyped: null }],
  ["d", { untypedEntries: { a: null } }, { untypedEntries: {} }],
])(
  "an applied null of a node without a type is absent, or the default, unless it is nullable: %s, %j",
  async (name, spec, stored) => {
    const [field = ""] = Object.keys(spec);
    const result = {
      spec: { ...DEFAULTS, ...stored },
      owned: expect.objectContaining({ [`f:${field}`]: expect.anything() }),
    };
    const before = { [field]: { x: { y: 1 } } };
    expect(await applied(`untyped-${name}`, spec, spec)).toEqual({ codes: [201, 200], ...result });
    expect(await applied(`untyped-${name}`, before, spec)).toEqual({ codes: [200, 200], ...result });
  },
);

test("a selectable field that is absent is the empty text, whatever its type", async () => {
  await admin.post(WIDGETS, widget("none", { spec: {} }));
  await admin.post(WIDGETS, widget("zero", { spec: { size: 0, flag: false, text: "a" } }));
  const found = async (selector: string) => {
    const { json } = await admin.get(`${WIDGETS}?fieldSelector=${encodeURIComponent(selector)}`);
    const names = json.items.map((item) => (item as unknown as { metadata: { name: string } }).metadata.name);
    return names.filter((name) => name === "none" || name === "zero");
  };
  expect(await found("spec.size=0")).toEqual(["zero"]);
  expect(await found("spec.size=")).toEqual(["none"]);
  expect(await found("spec.flag=false")).toEqual(["zero"]);
  expect(await found("spec.flag!=false")).toEqual(["none"]);
  expect(await found("spec.text=")).toEqual(["none"]);
});
