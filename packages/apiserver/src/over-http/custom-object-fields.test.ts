// Warnings and errors for unknown and duplicate fields of custom objects, and versions that are added to and removed
// from definitions.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "../server/start-server";
import { type Answer, ApiClient } from "../testing/api-client";
import { DEFINITIONS, definition, version, WIDGETS, widget } from "../testing/custom-definitions";

const SCHEMA = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: { type: "integer", "x-orch-validations": [{ rule: "self >= oldSelf", message: "only grows" }] },
        color: {
          type: "string",
          "x-orch-validations": [
            {
              rule: "!oldSelf.hasValue() ? self == 'red' : self != oldSelf.value() || self == 'red'",
              message: "begins red",
              optionalOldSelf: true,
            },
          ],
        },
        items: { type: "array", items: { type: "object", properties: { a: { type: "string" } } } },
        free: { type: "object", "x-orch-preserve-unknown-fields": true },
      },
    },
  },
};
const YAML = { "content-type": "application/yaml" };
const MERGE = { "content-type": "application/merge-patch+json" };
const APPLY = { "content-type": "application/apply-patch+yaml" };

let server: RunningServer;
let admin: ApiClient;

beforeAll(async () => {
  server = await startServer();
  admin = new ApiClient(server, server.admin);
  const versions = [version("v1", { storage: true, schema: { openAPIV3Schema: SCHEMA } })];
  expect((await admin.post(DEFINITIONS, definition({ versions }))).code).toBe(201);
  while ((await admin.get(WIDGETS)).code !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
});
afterAll(async () => {
  admin.close();
  await server.stop();
});

const odd = (name: string) =>
  `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"${name}","nothing":1},` +
  `"spec":{"size":1,"size":2,"items":[{"a":"x","b":1}],"free":{"any":1},"other":{}},"more":1}`;
const oddYaml = (name: string) =>
  `apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: ${name}\n  nothing: 1\n` +
  "spec:\n  size: 1\n  size: 2\n  items: [{a: x, b: 1}]\n  free: {any: 1}\n  other: {}\nmore: 1\n";

const UNKNOWN = ["metadata.nothing", "spec.items[0].b", "spec.other", "more"];

function tellsOfAll(text: string | undefined): void {
  for (const path of UNKNOWN) expect(text).toContain(path);
  expect(text).toMatch(/duplicate field \\*"spec.size|line 8: key \\*"size\\*" already set in map/);
}

const warned = (answer: Answer) => String(answer.headers["warning"] ?? "");

describe.each([
  ["JSON", odd, {}],
  ["YAML", oddYaml, YAML],
] as const)("fields in %s that the schema does not know, or that are there twice,", (form, body, headers) => {
  const post = (name: string, query: string) =>
    admin.ask("POST", `${WIDGETS}${query}`, { body: body(name), headers: { ...headers } });

  test("are refused where the client is strict, all at once", async () => {
    const refused = await post("strict", "?fieldValidation=Strict");
    expect(refused).toMatchObject({ code: 400, json: { kind: "Status", reason: "BadRequest" } });
    expect(refused.json.message).toContain("strict decoding error: ");
    tellsOfAll(refused.json.message);
  });

  test.each(["", "?fieldValidation=Warn"])("are warned of, and dropped: %s", async (query) => {
    const made = await post(`${form.toLowerCase()}${query.length}`, query);
    expect(made.code).toBe(201);
    tellsOfAll(warned(made));
    expect(made.json).toMatchObject({ spec: { size: 2, items: [{ a: "x" }], free: { any: 1 } } });
    expect(made.json.spec).not.toHaveProperty("other");
    expect(made.json).not.toHaveProperty("more");
  });

  test("are dropped silently where the client asks for that", async () => {
    const made = await post(`${form.toLowerCase()}-silent`, "?fieldValidation=Ignore");
    expect(made.code).toBe(201);
    expect(warned(made)).toBe("");
    expect(made.json.spec).not.toHaveProperty("other");
  });
});

test("updates, patches and applies tell of such fields likewise", async () => {
  await admin.post(WIDGETS, widget("kept", { spec: { size: 1 } }));
  const path = `${WIDGETS}/kept`;
  const strict = `${path}?fieldValidation=Strict`;
  const { json } = await admin.get(path);
  const changed = { ...json, spec: { size: 2, other: 1 } };
  expect((await admin.put(strict, changed)).json.message).toContain('unknown field "spec.other"');
  const patch = { body: { spec: { other: 1 } }, headers: MERGE };
  expect((await admin.ask("PATCH", strict, patch)).code).toBe(422);
  const silent = await admin.ask("PATCH", `${path}?fieldValidation=Ignore`, patch);
  expect([silent.code, warned(silent)]).toEqual([200, ""]);
  const told = await admin.ask("PATCH", path, patch);
  expect(told.code).toBe(200);
  expect(warned(told)).toContain("spec.other");
  const applied = { body: widget("kept", { spec: { size: 1, size2: 1 } }), headers: APPLY };
  const refused = await admin.ask("PATCH", `${path}?fieldManager=me&fieldValidation=Strict`, applied);
  expect(refused.code).toBeGreaterThanOrEqual(400);
  expect(refused.json.message).toContain("spec.size2");
  expect((await admin.get(path)).json.spec).toEqual({ size: 1 });
});

test.each(["1.18", "1.21", "1.26"])(
  "items of a list that preserves unknown fields keep them in release %s",
  async (release) => {
    const emulating = await startServer({ flags: { "emulated-release": release } });
    const client = new ApiClient(emulating, emulating.admin);
    const items = { type: "object", properties: { a: { type: "string" } } };
    const arr = { type: "array", "x-orch-preserve-unknown-fields": true, items };
    const schema = { openAPIV3Schema: { type: "object", properties: { arr } } };
    await client.post(DEFINITIONS, definition({ versions: [version("v1", { storage: true, schema })] }));
    while ((await client.get(WIDGETS)).code !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
    const kept = { arr: [{ a: "1", b: "2" }] };
    const made = await client.post(`${WIDGETS}?fieldValidation=Strict`, widget("made", kept));
    expect([made.code, made.json]).toEqual([201, expect.objectContaining(kept)]);
    const body = widget("applied", kept);
    const applied = await client.ask("PATCH", `${WIDGETS}/applied?fieldManager=me`, { body, headers: APPLY });
    expect([applied.code, applied.json]).toEqual([201, expect.objectContaining(kept)]);
    client.close();
    await emulating.stop();
  },
);

test("rules look at what was there before, and at whether there was anything", async () => {
  const refused = await admin.post(WIDGETS, widget("ruled", { spec: { size: 5, color: "blue" } }));
  expect(refused.json.message).toContain("begins red");
  expect((await admin.post(WIDGETS, widget("ruled", { spec: { size: 5, color: "red" } }))).code).toBe(201);
  const patch = (spec: object) => admin.ask("PATCH", `${WIDGETS}/ruled`, { body: { spec }, headers: MERGE });
  expect((await patch({ size: 4 })).json.message).toContain("spec.size: Invalid value: 4: only grows");
  expect((await patch({ size: 6, color: "blue" })).code).toBe(200);
  expect((await patch({ size: 7 })).json.message).toContain("begins red");
});

test("metadata alone is shown of one, of lists and in watches", async () => {
  await admin.post(WIDGETS, widget("shown", { spec: { size: 1 } }));
  const of = (kind: string) => ({ headers: { accept: `application/json;as=${kind};g=meta.orch.io;v=v1` } });
  const { json: one } = await admin.get(`${WIDGETS}/shown`, of("PartialObjectMetadata"));
  expect(one).toMatchObject({
    kind: "PartialObjectMetadata",
    apiVersion: "meta.orch.io/v1",
    metadata: { name: "shown" },
  });
  expect(one.spec).toBeUndefined();
  const { json: list } = await admin.get(WIDGETS, of("PartialObjectMetadataList"));
  expect(list.kind).toBe("PartialObjectMetadataList");
  for (const item of list.items) expect(item).not.toHaveProperty("spec");
  expect(list.items.map(({ metadata }) => metadata.name)).toContain("shown");
});

test("a definition that preserves unknown fields has a condition with the structural errors", async () => {
  const emulating = await startServer({ flags: { "emulated-release": "1.20" } });
  const client = new ApiClient(emulating, emulating.admin);
  const older = DEFINITIONS.replace("/v1/", "/v1beta1/");
  const conditionOf = async (plural: string, validation: object): Promise<string> => {
    const names = { plural, kind: plural };
    await client.post(older, {
      apiVersion: "apiextensions.orch.io/v1beta1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.example.com` },
      spec: { group: "example.com", version: "v1", names, scope: "Namespaced", ...validation },
    });
    for (;;) {
      const { status } = (await client.get(`${older}/${plural}.example.com`)).json as unknown as {
        readonly status: { readonly conditions?: readonly { readonly type: string; readonly message: string }[] };
      };
      const found = status.conditions?.find(({ type }) => type === "NonStructuralSchema");
      if (found !== undefined) return found.message;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const keepsAll = "spec.preserveUnknownFields: Invalid value: true: must be false";
  expect(await conditionOf("bares", {})).toBe(keepsAll);
  const untyped = "spec.versions[0].schema.openAPIV3Schema.type: Required value: must not be empty at the root";
  expect(await conditionOf("untyped", { validation: { openAPIV3Schema: {} } })).toBe(`[${keepsAll}, ${untyped}]`);
  client.close();
  await emulating.stop();
});

test.each([
  ["1.21", 200],
  ["1.22", 404],
])("the older version of definitions is served in release %s or not: %i", async (release, code) => {
  const emulating = await startServer({ flags: { "emulated-release": release } });
  const client = new ApiClient(emulating, emulating.admin);
  const older = DEFINITIONS.replace("/v1/", "/v1beta1/");
  expect((await client.get(older)).code).toBe(code);
  if (code === 200) {
    await client.post(older, {
      apiVersion: "apiextensions.orch.io/v1beta1",
      kind: "CustomResourceDefinition",
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        version: "v1",
        names: { plural: "widgets", kind: "Widget" },
        scope: "Namespaced",
        additionalPrinterColumns: [{ name: "Size", type: "integer", JSONPath: ".spec.size" }],
      },
    });
    while ((await client.get(WIDGETS)).code !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
    const made = await client.post(WIDGETS, widget("a", { anything: { at: ["all"] } }));
    expect(made.json).toMatchObject({ anything: { at: ["all"] } });
    const { json } = await client.get(`${DEFINITIONS}/widgets.example.com`);
    expect(json.spec).toMatchObject({
      preserveUnknownFields: true,
      versions: [{ name: "v1", additionalPrinterColumns: [{ name: "Size", jsonPath: ".spec.size" }] }],
    });
  }
  client.close();
  await emulating.stop();
});

describe("YAML", () => {
  const text = (name: string, more = "") =>
    `apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: ${name}\nspec:\n  free:\n` +
    "    day: 2001-01-01\n    time: 2020-03-25T13:37:11.123456Z\n    clock: [12:30:45, 22:22]\n    bool: yes\n" +
    `    octal: [017, 0o17]\n${more}`;
  const kept = {
    ...{ day: "2001-01-01", time: "2020-03-25T13:37:11.123456Z", clock: ["12:30:45", "22:22"] },
    ...{ bool: true, octal: [15, 15] },
  };

  test("stores dates and times as the texts that they are, created and applied", async () => {
    const created = await admin.ask("POST", WIDGETS, { body: text("dated"), headers: YAML });
    expect([created.code, created.json.spec]).toEqual([201, { free: kept }]);
    const path = `${WIDGETS}/dated-applied?fieldManager=tests`;
    const applied = await admin.ask("PATCH", path, { body: text("dated-applied"), headers: APPLY });
    expect([applied.code, applied.json.spec]).toEqual([201, { free: kept }]);
  });

  test("only the first of several YAML documents is read, with a warning", async () => {
    const body = text("several", "---\napiVersion: v1\n");
    const post = (query: string) => admin.ask("POST", `${WIDGETS}?dryRun=All${query}`, { body, headers: YAML });
    const told = await post("");
    expect([told.code, warned(told)]).toEqual([201, expect.stringContaining("more than one YAML document")]);
    const strict = await post("&fieldValidation=Strict");
    expect([strict.code, strict.json.message]).toEqual([400, expect.stringContaining("more than one YAML document")]);
    const applied = await admin.ask("PATCH", `${WIDGETS}/several?fieldManager=tests&dryRun=All`, {
      body,
      headers: APPLY,
    });
    expect([applied.code, warned(applied)]).toEqual([201, expect.stringContaining("more than one YAML document")]);
    const alone = await admin.ask("POST", `${WIDGETS}?dryRun=All`, {
      body: text("alone", "---\n# end\n"),
      headers: YAML,
    });
    expect([alone.code, warned(alone)]).toEqual([201, ""]);
  });
});
