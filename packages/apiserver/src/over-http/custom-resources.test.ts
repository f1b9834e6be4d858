// Custom resources over a real server.
import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { type RunningServer, startServer } from "../server/start-server";
import { type Answer, ApiClient, type Loose } from "../testing/api-client";
import { DEFINITIONS, definition, version, WIDGETS, widget } from "../testing/custom-definitions";

let server: RunningServer;
let admin: ApiClient;

beforeAll(async () => {
  server = await startServer();
  admin = new ApiClient(server, server.admin);
});
afterAll(async () => {
  admin.close();
  await server.stop();
});

const TABLE = { accept: "application/json;as=Table;g=meta.orch.io;v=v1" };
const MERGE = { "content-type": "application/merge-patch+json" };

async function until(path: string, holds: (answer: Answer) => boolean, client = admin): Promise<Answer> {
  for (;;) {
    const answer = await client.get(path);
    if (holds(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const conditionsOf = (answer: Answer) =>
  (answer.json as unknown as { status: { conditions?: { type: string; status: string; reason: string }[] } }).status
    .conditions ?? [];
const conditionOf = (answer: Answer, type: string) => conditionsOf(answer).find((each) => each.type === type);
const isEstablished = (answer: Answer) => conditionOf(answer, "Established")?.status === "True";

async function define(...parts: Parameters<typeof definition>): Promise<string> {
  const created = await admin.post(DEFINITIONS, definition(...parts));
  expect(created.code).toBe(201);
  const path = `${DEFINITIONS}/${created.json.metadata.name}`;
  await until(path, isEstablished);
  return path;
}

async function undefine(path: string): Promise<void> {
  await admin.delete(path);
  await until(path, ({ code }) => code === 404);
}

afterEach(async () => {
  for (const { metadata } of (await admin.get(DEFINITIONS)).json.items)
    await undefine(`${DEFINITIONS}/${metadata.name}`);
});

describe("a definition", () => {
  test("is served as soon as its status says so", async () => {
    const path = await define({ names: { shortNames: ["wd"], categories: ["all"] } });
    const created = await admin.post(WIDGETS, widget("a", { spec: { size: 1 } }));
    expect(created.code).toBe(201);
    expect(created.json).toMatchObject({ kind: "Widget", metadata: { generation: 1 }, spec: { size: 1 } });
    const { json } = await admin.get(path);
    expect(json).toMatchObject({
      status: {
        acceptedNames: {
          plural: "widgets",
          singular: "widget",
          kind: "Widget",
          listKind: "WidgetList",
          shortNames: ["wd"],
        },
        storedVersions: ["v1"],
        conditions: [
          { type: "NamesAccepted", status: "True", reason: "NoConflicts" },
          { type: "Established", status: "True", reason: "InitialNamesAccepted" },
        ],
      },
    });
    expect((await admin.get("/apis/example.com/v1")).json.resources).toMatchObject([
      { name: "widgets", singularName: "widget", kind: "Widget", shortNames: ["wd"], categories: ["all"] },
    ]);
  });

  test("a definition with conflicting names is not served until they are free", async () => {
    const first = await define({ names: { shortNames: ["wd"] } });
    const other = definition({ plural: "gadgets", kind: "Gadget", names: { shortNames: ["wd"] } });
    await admin.post(DEFINITIONS, other);
    const second = `${DEFINITIONS}/gadgets.example.com`;
    const refused = await until(second, (answer) => conditionOf(answer, "NamesAccepted") !== undefined);
    expect(conditionsOf(refused)).toMatchObject([
      { type: "NamesAccepted", status: "False", reason: "ShortNamesConflict", message: '"wd" is already in use' },
      { type: "Established", status: "False", reason: "NotAccepted" },
    ]);
    const gadgets = WIDGETS.replace("widgets", "gadgets");
    expect((await admin.get(gadgets)).code).toBe(404);
    await undefine(first);
    await until(second, isEstablished);
    expect((await admin.get(gadgets)).code).toBe(200);
  });

  test("with the paths of a built-in resource hides nothing", async () => {
    const own = definition({ group: "rbac.authorization.orch.io", plural: "roles", kind: "Rôle".replace("ô", "o") });
    const annotations = { "api-approved.orch.io": "https://example.com/reviews/1" };
    await admin.post(DEFINITIONS, { ...own, metadata: { ...own.metadata, annotations } });
    const path = `${DEFINITIONS}/${own.metadata.name}`;
    await until(path, (answer) => conditionOf(answer, "NamesAccepted")?.status === "True");
    const roles = "/apis/rbac.authorization.orch.io/v1/namespaces/default/roles";
    const role = { apiVersion: "rbac.authorization.orch.io/v1", kind: "Role", metadata: { name: "kept" }, rules: [] };
    expect((await admin.post(roles, role)).code).toBe(201);
    await undefine(path);
    expect((await admin.get(`${roles}/kept`)).code).toBe(200);
  });

  test("that changes is served anew, and other watches go on", async () => {
    const path = await define();
    await admin.post(WIDGETS, widget("a", { spec: { size: 1 } }));
    const others = await admin.watch("/api/v1/namespaces/default/configmaps?watch=1");
    const versions = [
      version("v1", {
        storage: true,
        additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
      }),
      version("v2"),
    ];
    const changed = await admin.ask("PATCH", path, { body: { spec: { versions } }, headers: MERGE });
    expect(changed.code).toBe(200);
    const v2 = WIDGETS.replace("/v1/", "/v2/");
    const answer = await until(`${v2}/a`, ({ code }) => code === 200);
    expect(answer.json).toMatchObject({ apiVersion: "example.com/v2", spec: { size: 1 } });
    const table = await admin.get(WIDGETS, { headers: TABLE });
    expect(table.json.columnDefinitions?.map(({ name }) => name)).toEqual(["Name", "Size"]);
    expect(table.json.rows.map(({ cells }) => cells)).toEqual([["a", 1]]);
    await admin.post("/api/v1/namespaces/default/configmaps", {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "c" },
    });
    expect(await others.take(1)).toEqual(["ADDED c"]);
    others.close();
    await admin.delete("/api/v1/namespaces/default/configmaps/c");
  });

  test("that changes many times at once is served as it is in the end", async () => {
    const path = await define();
    const columns = (name: string) => [
      version("v1", { storage: true, additionalPrinterColumns: [{ name, type: "string", jsonPath: ".spec.x" }] }),
    ];
    for (let at = 0; at < 20; at += 1)
      await admin.ask("PATCH", path, { body: { spec: { versions: columns(`C${at}`) } }, headers: MERGE });
    const shown = async () => (await admin.get(WIDGETS, { headers: TABLE })).json.columnDefinitions?.[1]?.name;
    while ((await shown()) !== "C19") await new Promise((resolve) => setTimeout(resolve, 5));
  });

  test("a deprecated version of a definition causes warnings", async () => {
    await define({
      versions: [
        version("v1", { storage: true }),
        version("v1beta1", { deprecated: true }),
        version("v1alpha1", { deprecated: true, deprecationWarning: "too old" }),
      ],
    });
    const warned = async (name: string) => (await admin.get(WIDGETS.replace("/v1/", `/${name}/`))).headers["warning"];
    expect(await warned("v1")).toBeUndefined();
    expect(await warned("v1beta1")).toBe('299 - "example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget"');
    expect(await warned("v1alpha1")).toBe('299 - "too old"');
  });
});

test("the published schema of definitions is complete in each release, because clients reject unknown fields", async () => {
  type Published = { readonly definitions: Readonly<Record<string, { readonly properties?: object }>> };
  const { definitions } = (await admin.get("/openapi/v2")).json as unknown as Published;
  const fieldsOf = (kind: string) => {
    const name = Object.keys(definitions).find((each) => each.endsWith(`apiextensions.v1.${kind}`)) ?? "";
    return Object.keys(definitions[name]?.properties ?? {});
  };
  expect(fieldsOf("CustomResourceDefinitionVersion")).toContain("selectableFields");
  expect(fieldsOf("JSONSchemaProps")).toContain("x-orch-validations");
  expect(fieldsOf("ValidationRule").sort()).toEqual(
    ["fieldPath", "message", "messageExpression", "optionalOldSelf", "reason", "rule"].sort(),
  );
});

test("the published schema of a definition travels in each form and coding, and costs nothing once it is known", async () => {
  await define();
  const path = "/openapi/v3/apis/example.com/v1";
  await until(path, ({ code }) => code === 200);
  const forms = ["application/json", "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"];
  const etags = new Set<string>();
  for (const accept of forms) {
    const [plain, small, again] = [
      await admin.get(path, { headers: { accept } }),
      await admin.get(path, { headers: { accept, "accept-encoding": "gzip" } }),
      await admin.get(path, { headers: { accept, "accept-encoding": "gzip;q=0" } }),
    ];
    expect([plain, small, again].map(({ headers }) => headers["content-encoding"])).toEqual([
      undefined,
      "gzip",
      undefined,
    ]);
    expect(gunzipSync(small.bytes).equals(plain.bytes)).toBe(true);
    expect(again.bytes.equals(plain.bytes)).toBe(true);
    const { etag = "" } = plain.headers;
    expect([small.headers.etag, again.headers.etag]).toEqual([etag, etag]);
    etags.add(etag);
    const known = await admin.get(path, { headers: { accept, "if-none-match": etag } });
    expect([known.code, known.bytes.length, known.headers.vary]).toEqual([304, 0, "Accept, Accept-Encoding"]);
  }
  expect(etags.size).toBe(forms.length);
});

test("the published schema offers clients no patch and no form that custom objects do not have", async () => {
  await define();
  type Operations = Readonly<
    Record<string, { readonly patch?: Patch; readonly get?: { readonly produces?: string[] } }>
  >;
  type Patch = { readonly consumes?: string[]; readonly requestBody?: { readonly content: object } };
  const one = `${WIDGETS.replace("/default/", "/{namespace}/")}/{name}`;
  const has = (document: Answer) => (document.json as unknown as { paths: Operations }).paths[one];
  const documents = [
    await until("/openapi/v2", (document) => has(document) !== undefined),
    await until("/openapi/v3/apis/example.com/v1", (document) => document.code === 200 && has(document) !== undefined),
  ];
  for (const document of documents) {
    const patch = has(document)?.patch;
    expect(patch?.consumes ?? Object.keys(patch?.requestBody?.content ?? {})).toEqual([
      "application/json-patch+json",
      "application/merge-patch+json",
      "application/apply-patch+yaml",
    ]);
    expect(JSON.stringify(has(document))).not.toContain("protobuf");
  }
});

describe("a definition that is deleted", () => {
  test("deletes its objects first, waits for their finalizers, and takes no more", async () => {
    const path = await define();
    for (const name of ["a", "b"]) await admin.post(WIDGETS, widget(name));
    const held = widget("held");
    await admin.post(WIDGETS, { ...held, metadata: { name: "held", finalizers: ["example.com/hold"] } });
    const watch = await admin.watch(`${WIDGETS}?watch=1`);
    expect(await watch.take(3)).toHaveLength(3);
    const asked = await admin.delete(path);
    expect(asked.code).toBe(200);
    await until(WIDGETS, ({ json }) => json.items.length === 1);
    const waiting = await admin.get(path);
    expect(conditionOf(waiting, "Terminating")).toMatchObject({ status: "True", reason: "InstanceDeletionInProgress" });
    expect(waiting.json.metadata).toMatchObject({ finalizers: ["customresourcecleanup.apiextensions.orch.io"] });
    const refused = await admin.post(WIDGETS, widget("late"));
    expect(refused).toMatchObject({ code: 405 });
    expect(refused.json.message).toBe("create not allowed while custom resource definition is terminating");
    await admin.ask("PATCH", `${WIDGETS}/held`, { body: { metadata: { finalizers: null } }, headers: MERGE });
    await until(path, ({ code }) => code === 404);
    expect((await watch.take(4)).toSorted()).toEqual(["DELETED a", "DELETED b", "DELETED held", "MODIFIED held"]);
    expect(await watch.next()).toMatchObject({ type: "ERROR", object: { kind: "Status", code: 404 } });
    expect((await admin.get(WIDGETS)).code).toBe(404);
    expect((await admin.get("/apis/example.com")).code).toBe(404);
  });

  test("may be made again at once, with another schema", async () => {
    for (const scope of ["Namespaced", "Cluster", "Namespaced"] as const) {
      const path = await define({ scope });
      const at = scope === "Cluster" ? "/apis/example.com/v1/widgets" : WIDGETS;
      expect((await admin.get(at)).json.items).toEqual([]);
      expect((await admin.post(at, widget("again"))).code).toBe(201);
      await undefine(path);
    }
  });
});

describe("a custom object", () => {
  test("is shown in the columns of its definition", async () => {
    const additionalPrinterColumns = [
      {
        name: "Ready",
        type: "string",
        jsonPath: '.status.conditions[?(@.type=="Ready")].status',
        description: "Is it?",
      },
      { name: "Size", type: "integer", jsonPath: ".spec.size", priority: 1, format: "int32" },
      { name: "Wrong", type: "integer", jsonPath: ".spec.name" },
      { name: "Since", type: "date", jsonPath: ".spec.since" },
      { name: "Tags", type: "string", jsonPath: ".spec.tags" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ];
    await define({ versions: [version("v1", { storage: true, additionalPrinterColumns })] });
    const spec = { size: 3, name: "x", tags: ["a", "b"], since: "2000-01-01T00:00:00Z" };
    const status = {
      conditions: [
        { type: "Other", status: "No" },
        { type: "Ready", status: "True" },
      ],
    };
    await admin.post(WIDGETS, widget("a", { spec, status }));
    const { json } = await admin.get(WIDGETS, { headers: TABLE });
    expect(json.columnDefinitions).toMatchObject([
      { name: "Name", type: "string", format: "name", priority: 0 },
      { name: "Ready", type: "string", format: "", description: "Is it?", priority: 0 },
      { name: "Size", type: "integer", format: "int32", priority: 1 },
      { name: "Wrong", description: "Custom resource definition column (in JSONPath format): .spec.name" },
      {},
      {},
      { name: "Age", type: "date" },
    ]);
    const years = expect.stringMatching(/^\d+y/);
    expect(json.rows[0]?.cells).toEqual(["a", "True", 3, null, years, '["a","b"]', expect.stringMatching(/^\d+s$/)]);
  });

  test("is shown in the default table where its definition has no columns", async () => {
    await define({ versions: [version("v1", { storage: true })] });
    const { json: made } = await admin.post(WIDGETS, widget("a"));
    const { json } = await admin.get(WIDGETS, { headers: TABLE });
    expect(json.columnDefinitions?.map(({ name, type }) => [name, type])).toEqual([
      ["Name", "string"],
      ["Created At", "date"],
    ]);
    expect(json.rows[0]?.cells).toEqual(["a", made.metadata.creationTimestamp]);
  });

  test("has a status and a scale of its own", async () => {
    const subresources = {
      status: {},
      scale: {
        specReplicasPath: ".spec.count",
        statusReplicasPath: ".status.count",
        labelSelectorPath: ".status.selector",
      },
    };
    await define({ versions: [version("v1", { storage: true, subresources })] });
    const created = await admin.post(WIDGETS, widget("a", { spec: { count: 2 }, status: { count: 9 } }));
    expect(created.json.status).toBeUndefined();
    const status = { count: 1, selector: "app=a" };
    const reported = await admin.put(`${WIDGETS}/a/status`, { ...created.json, spec: { count: 50 }, status });
    expect(reported.json).toMatchObject({ metadata: { generation: 1 }, spec: { count: 2 }, status });
    const scale = (await admin.get(`${WIDGETS}/a/scale`)).json;
    expect(scale).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      spec: { replicas: 2 },
      status: { replicas: 1, selector: "app=a" },
    });
    expect((await admin.put(`${WIDGETS}/a/scale`, { ...scale, spec: { replicas: 5 } })).json).toMatchObject({
      spec: { replicas: 5 },
    });
    // A scale without a resource version applies to any present state.
    const unseen = { ...scale, metadata: { name: "a", namespace: "default" }, spec: { replicas: 5 } };
    expect((await admin.put(`${WIDGETS}/a/scale`, unseen)).code).toBe(200);
    expect((await admin.put(`${WIDGETS}/a/scale`, scale)).code).toBe(409);
    expect((await admin.get(`${WIDGETS}/a`)).json).toMatchObject({
      metadata: { generation: 2 },
      spec: { count: 5 },
      status,
    });
    const patched = await admin.ask("PATCH", `${WIDGETS}/a`, { body: { spec: { count: -1 } }, headers: MERGE });
    expect(patched.code).toBe(422);
    expect(patched.json.message).toContain("spec.count: Invalid value: -1: should be a non-negative integer");
    await admin.post(WIDGETS, widget("none"));
    expect((await admin.get(`${WIDGETS}/none/scale`)).code).toBe(500);
  });

  describe("without replicas", () => {
    const scale = (rest: object = {}) => ({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: { name: "a" },
      ...rest,
    });
    const JSON_PATCH = { "content-type": "application/json-patch+json" };
    const put = (body: object) => () => admin.put(`${WIDGETS}/a/scale`, body);
    const patch =
      (body: object, headers: Readonly<Record<string, string>>, query = "") =>
      () =>
        admin.ask("PATCH", `${WIDGETS}/a/scale${query}`, { body, headers });
    const EMPTY = 'the spec replicas field ".spec.count" cannot be empty';
    const defineScaled = async (properties: object) => {
      const subresources = { scale: { specReplicasPath: ".spec.count", statusReplicasPath: ".status.count" } };
      const openAPIV3Schema = { type: "object", properties: { spec: { type: "object", properties } } };
      await define({ versions: [version("v1", { storage: true, subresources, schema: { openAPIV3Schema } })] });
    };

    test.each<[string, () => Promise<Answer>, number, number | string | undefined]>([
      ["PUT of 3", put(scale({ spec: { replicas: 3 } })), 200, 3],
      ["PUT of 0", put(scale({ spec: { replicas: 0 } })), 200, 0],
      ["PUT without a number", put(scale()), 200, 0],
      ["PUT of -1", put(scale({ spec: { replicas: -1 } })), 422, undefined],
      ["PUT of the least int32", put(scale({ spec: { replicas: -(2 ** 31) } })), 400, EMPTY],
      ["merge patch of 3", patch({ spec: { replicas: 3 } }, MERGE), 200, 3],
      ["merge patch of null", patch({ spec: { replicas: null } }, MERGE), 200, 0],
      ["merge patch of something else", patch({ metadata: { labels: { a: "b" } } }, MERGE), 400, EMPTY],
      ["JSON patch", patch([{ op: "add", path: "/spec/replicas", value: 4 }], JSON_PATCH), 200, 4],
      ["dry run", patch({ spec: { replicas: 3 } }, MERGE, "?dryRun=All"), 200, undefined],
    ])("is scaled by %s", async (_how, change, code, result) => {
      await defineScaled({ count: { type: "integer" }, name: { type: "string" } });
      await admin.post(WIDGETS, widget("a", { spec: { name: "x" } }));
      const answer = await change();
      expect(answer.code).toBe(code);
      if (typeof result === "string") expect(answer.json.message).toBe(result);
      const { spec } = (await admin.get(`${WIDGETS}/a`)).json;
      expect(spec).toEqual({ name: "x", ...(typeof result === "number" ? { count: result } : {}) });
      const shown = await admin.get(`${WIDGETS}/a/scale`);
      expect(shown.code).toBe(typeof result === "number" ? 200 : 500);
    });

    test("store no field that the schema does not have", async () => {
      await defineScaled({ name: { type: "string" } });
      await admin.post(WIDGETS, widget("a", { spec: { name: "x" } }));
      expect((await put(scale({ spec: { replicas: 3 } }))()).code).toBe(200);
      expect((await patch({ spec: { replicas: 3 } }, MERGE)()).code).toBe(200);
      expect((await admin.get(`${WIDGETS}/a`)).json.spec).toEqual({ name: "x" });
      expect((await admin.get(`${WIDGETS}/a/scale`)).code).toBe(500);
    });

    test.each<[string, object]>([
      ["null", { spec: { count: null } }],
      ["null for the status", { status: { count: null } }],
      ["null for the selector", { spec: { labels: null } }],
      ["a text on the way", { spec: "x" }],
    ])("is refused with %s at its paths", async (_what, parts) => {
      const subresources = {
        scale: {
          specReplicasPath: ".spec.count",
          statusReplicasPath: ".status.count",
          labelSelectorPath: ".spec.labels",
        },
      };
      const open = { nullable: true, "x-orch-preserve-unknown-fields": true };
      const openAPIV3Schema = { type: "object", properties: { spec: open, status: open } };
      await define({ versions: [version("v1", { storage: true, subresources, schema: { openAPIV3Schema } })] });
      expect((await admin.post(WIDGETS, widget("a", parts))).code).toBe(422);
      expect((await admin.post(WIDGETS, widget("b", { spec: null, status: {} }))).code).toBe(201);
      expect(
        (await admin.put(`${WIDGETS}/b/scale`, scale({ metadata: { name: "b" }, spec: { replicas: 3 } }))).code,
      ).toBe(200);
      expect((await admin.get(`${WIDGETS}/b`)).json.spec).toEqual({ count: 3 });
    });
  });

  test("says what it is in lists too, in each version and form", async () => {
    await define({ versions: [version("v1", { storage: true }), version("v2")] });
    for (const name of ["a", "b"]) await admin.post(WIDGETS, widget(name));
    for (const [path, apiVersion] of [
      [WIDGETS, "example.com/v1"],
      [WIDGETS.replace("/v1/", "/v2/"), "example.com/v2"],
    ] as const) {
      for (const headers of [{}, { accept: "application/yaml" }]) {
        const { text } = await admin.get(path, { headers });
        const { kind, items } = parse(text) as Loose;
        expect(kind).toBe("WidgetList");
        expect(items).toMatchObject(["a", "b"].map((name) => ({ apiVersion, kind: "Widget", metadata: { name } })));
      }
    }
  });

  test("is selected by its fields", async () => {
    const spec = { type: "object", properties: { color: { type: "string" } } };
    const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
    const selectableFields = [{ jsonPath: ".spec.color" }];
    await define({ versions: [version("v1", { storage: true, schema, selectableFields })] });
    for (const color of ["red", "blue"]) await admin.post(WIDGETS, widget(color, { spec: { color } }));
    const { json } = await admin.get(`${WIDGETS}?fieldSelector=spec.color%3Dred`);
    expect(json.items.map(({ metadata }) => metadata.name)).toEqual(["red"]);
    expect((await admin.get(`${WIDGETS}?fieldSelector=spec.size%3Dred`)).code).toBe(400);
  });

  test("has no protobuf and takes no strategic merge patches", async () => {
    await define();
    await admin.post(WIDGETS, widget("a"));
    expect((await admin.get(WIDGETS, { headers: { accept: "application/vnd.orch.protobuf" } })).code).toBe(406);
    const headers = { "content-type": "application/strategic-merge-patch+json" };
    expect((await admin.ask("PATCH", `${WIDGETS}/a`, { body: {}, headers })).code).toBe(415);
    const partial = { accept: "application/json;as=PartialObjectMetadataList;g=meta.orch.io;v=v1" };
    expect((await admin.get(WIDGETS, { headers: partial })).json.items[0]).toMatchObject({ metadata: { name: "a" } });
  });

  test("is applied by many", async () => {
    await define();
    const headers = { "content-type": "application/apply-patch+yaml" };
    const apply = (manager: string, spec: object) =>
      admin.ask("PATCH", `${WIDGETS}/a?fieldManager=${manager}`, { body: widget("a", { spec }), headers });
    expect((await apply("one", { size: 1 })).code).toBe(201);
    const again = await apply("one", { size: 1 });
    expect(again.json.metadata).toMatchObject({ generation: 1 });
    expect((await apply("two", { color: "red" })).json).toMatchObject({ spec: { size: 1, color: "red" } });
    expect((await apply("two", { size: 2 })).code).toBe(409);
  });
});

test("definitions of v1beta1 are served alike", async () => {
  const server = await startServer({ flags: { "emulated-release": "1.20" } });
  const admin = new ApiClient(server, server.admin);
  const { spec, metadata } = definition();
  const { versions: _, ...rest } = spec;
  const beta = {
    apiVersion: "apiextensions.orch.io/v1beta1",
    kind: "CustomResourceDefinition",
    metadata,
    spec: {
      ...rest,
      version: "v1",
      subresources: { status: {} },
      additionalPrinterColumns: [{ name: "Size", type: "integer", JSONPath: ".spec.size" }],
    },
  };
  expect((await admin.post(DEFINITIONS.replace("/v1/", "/v1beta1/"), beta)).code).toBe(201);
  await until(`${DEFINITIONS}/widgets.example.com`, isEstablished, admin);
  await admin.post(WIDGETS, widget("a", { spec: { size: 4, more: true } }));
  const { json } = await admin.get(WIDGETS, { headers: TABLE });
  expect(json.rows[0]?.cells).toEqual(["a", 4]);
  admin.close();
  await server.stop();
});

test("large objects are written and shown by other threads, by whatever definition there is", async () => {
  const [path, columns] = [await define(), [{ name: "Count", type: "integer", jsonPath: ".spec.count" }]];
  const items = Array.from({ length: 3000 }, (_, at) => ({ at, text: `item ${at}` }));
  const created = await admin.post(WIDGETS, widget("large", { spec: { count: 3000, items } }));
  expect(created.code).toBe(201);
  expect(created.json.spec).toEqual({ count: 3000, items });
  const shown = async () => (await admin.get(`${WIDGETS}/large`, { headers: TABLE })).json.rows[0]?.cells;
  expect(await shown()).toEqual(["large", expect.any(String)]);
  const versions = [version("v1", { storage: true, additionalPrinterColumns: columns, subresources: { status: {} } })];
  await admin.ask("PATCH", path, { body: { spec: { versions } }, headers: MERGE });
  await until(`${WIDGETS}/large/status`, ({ code }) => code === 200);
  expect(await shown()).toEqual(["large", 3000]);
  const body = { status: { items }, spec: { count: 1 } };
  const reported = await admin.ask("PATCH", `${WIDGETS}/large/status`, { body, headers: MERGE });
  expect(reported.json).toMatchObject({ spec: { count: 3000 }, status: { items: expect.any(Array) } });
  await undefine(path);
  const again = await define();
  expect((await admin.post(WIDGETS, widget("large", { spec: { items } }))).code).toBe(201);
  expect(await shown()).toEqual(["large", expect.any(String)]);
  await undefine(again);
});

test("a definition of thousands of values is served, and goes, like any other", async () => {
  const field = { type: "object", description: "one of many", properties: { a: { type: "string" } } };
  const properties = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`field${at}`, field]));
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } };
  const path = await define({ versions: [version("v1", { storage: true, schema })] });
  const held = widget("held");
  await admin.post(WIDGETS, { ...held, metadata: { name: "held", finalizers: ["example.com/hold"] } });
  await admin.delete(path);
  await until(path, (answer) => conditionOf(answer, "Terminating")?.reason === "InstanceDeletionInProgress");
  await admin.ask("PATCH", `${WIDGETS}/held`, { body: { metadata: { finalizers: null } }, headers: MERGE });
  await until(path, ({ code }) => code === 404);
  expect((await admin.get(WIDGETS)).code).toBe(404);
});
