import { describe, expect, test } from "@jest/globals";
import { startServer } from "../server/start-server";
import { ApiClient, CONFIG_MAPS, configMap } from "../testing/api-client";
import { useServer } from "../testing/use-server";

const APPLY = "application/apply-patch+yaml";
const MERGE = "application/merge-patch+json";
const PODS = "/api/v1/namespaces/default/pods";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";

let admin: ApiClient;

useServer((running) => ({ admin } = running));

const apply = (path: string, manager: string, body: object | string, query = "") =>
  admin.ask("PATCH", `${path}?fieldManager=${manager}${query}`, { body, headers: { "content-type": APPLY } });

interface Ownership {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly subresource?: string;
  readonly time: string;
  readonly fieldsType: string;
  readonly fieldsV1: object;
}

async function owners(path: string): Promise<readonly Ownership[]> {
  const { metadata } = (await admin.get(path)).json as unknown as { metadata: { managedFields?: Ownership[] } };
  return metadata.managedFields ?? [];
}

/** Returns `manager Operation` and the owned fields under `part`. */
const ownersOf = async (path: string, part: string) =>
  (await owners(path)).map(({ manager, operation, fieldsV1 }) => [
    `${manager} ${operation}`,
    Object.keys((fieldsV1 as Record<string, object>)[`f:${part}`] ?? {}).filter((key) => key !== "."),
  ]);

describe("an apply", () => {
  test("creates what is not there, and changes nothing when repeated", async () => {
    const path = `${CONFIG_MAPS}/applied`;
    const first = await apply(path, "one", configMap("applied", { a: "1" }));
    expect([first.code, first.json.data]).toEqual([201, { a: "1" }]);
    const second = await apply(path, "one", configMap("applied", { a: "1" }));
    expect([second.code, second.json]).toEqual([200, first.json]);
    expect(await owners(path)).toEqual([
      {
        manager: "one",
        operation: "Apply",
        apiVersion: "v1",
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { "f:a": {} } },
      },
    ]);
  });

  test("is taken as YAML", async () => {
    const body = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: 'yes'\n";
    const answer = await apply(`${CONFIG_MAPS}/yaml`, "one", body);
    expect([answer.code, answer.json.data]).toEqual([201, { a: "yes" }]);
  });

  test("takes back what it no longer names, and leaves the rest", async () => {
    const path = `${CONFIG_MAPS}/less`;
    await apply(path, "one", configMap("less", { a: "1", b: "2" }));
    await apply(path, "two", configMap("less", { b: "2", c: "3" }));
    const answer = await apply(path, "one", configMap("less", {}));
    expect(answer.json.data).toEqual({ b: "2", c: "3" });
    expect(await ownersOf(path, "data")).toContainEqual(["two Apply", ["f:b", "f:c"]]);
  });

  test("meets exactly the conflicts of the rules", async () => {
    const path = `${CONFIG_MAPS}/contested`;
    await apply(path, "one", configMap("contested", { a: "1", b: "2", c: "3" }));
    // An equal value is shared, a different one conflicts, a new one is free.
    const refused = await apply(path, "two", configMap("contested", { a: "other", b: "2", c: "else", d: "4" }));
    expect([refused.code, refused.json.reason, refused.json.details]).toEqual([
      409,
      "Conflict",
      {
        causes: [
          { reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".data.a" },
          { reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".data.c" },
        ],
      },
    ]);
    expect(await ownersOf(path, "data")).toEqual([["one Apply", ["f:a", "f:b", "f:c"]]]);
    const forced = await apply(
      path,
      "two",
      configMap("contested", { a: "other", b: "2", c: "else", d: "4" }),
      "&force=true",
    );
    expect([forced.code, forced.json.data]).toEqual([200, { a: "other", b: "2", c: "else", d: "4" }]);
    expect(new Map((await ownersOf(path, "data")) as [string, string[]][])).toEqual(
      new Map([
        ["one Apply", ["f:b"]],
        ["two Apply", ["f:a", "f:b", "f:c", "f:d"]],
      ]),
    );
  });

  test.each([
    ["no manager", `${CONFIG_MAPS}/bad`, configMap("bad"), 422],
    ["another version", `${CONFIG_MAPS}/bad?fieldManager=m`, { ...configMap("bad"), apiVersion: "v2" }, 400],
    ["another kind", `${CONFIG_MAPS}/bad?fieldManager=m`, { ...configMap("bad"), kind: "Secret" }, 400],
    ["another name", `${CONFIG_MAPS}/bad?fieldManager=m`, configMap("good"), 400],
    ["no name", `${CONFIG_MAPS}/bad?fieldManager=m`, { ...configMap("bad"), metadata: {} }, 400],
    ["a field that no ConfigMap has", `${CONFIG_MAPS}/bad?fieldManager=m`, { ...configMap("bad"), nothing: 1 }, 500],
    [
      "a uid of no object",
      `${CONFIG_MAPS}/bad?fieldManager=m`,
      { ...configMap("bad"), metadata: { name: "bad", uid: "x" } },
      409,
    ],
    ["nothing", `${CONFIG_MAPS}/bad?fieldManager=m`, "", 400],
    ["broken YAML", `${CONFIG_MAPS}/bad?fieldManager=m`, "a: [", 400],
    ["a number as name", `${CONFIG_MAPS}/bad?fieldManager=m`, { ...configMap("bad"), metadata: { name: 5 } }, 400],
    [
      "a uid that is no text",
      `${CONFIG_MAPS}/bad?fieldManager=m`,
      { ...configMap("bad"), metadata: { name: "bad", uid: { toString: {} } } },
      400,
    ],
    ["a list as metadata", `${CONFIG_MAPS}/bad?fieldManager=m`, { ...configMap("bad"), metadata: ["bad"] }, 400],
    ["two documents", `${CONFIG_MAPS}/bad?fieldManager=m`, "a: 1\n---\nb: 2", 400],
    [
      "bytes that are none",
      "/api/v1/namespaces/default/secrets/bad?fieldManager=m",
      { apiVersion: "v1", kind: "Secret", metadata: { name: "bad" }, data: { a: "?" } },
      422,
    ],
    [
      "half a port",
      "/api/v1/namespaces/default/services/bad?fieldManager=m",
      { apiVersion: "v1", kind: "Service", metadata: { name: "bad" }, spec: { ports: [{ port: 80.5 }] } },
      422,
    ],
    [
      "a quantity that is none",
      `${PODS}/bad?fieldManager=m`,
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "bad" },
        spec: { containers: [{ name: "c", image: "i", resources: { limits: { cpu: "much" } } }] },
      },
      422,
    ],
    [
      "a status of no object",
      `${DEPLOYMENTS}/bad/status?fieldManager=m`,
      { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "bad" } },
      404,
    ],
  ])("with %s is refused", async (_what, path, body, code) => {
    const answer = await admin.ask("PATCH", path, { body, headers: { "content-type": APPLY } });
    expect([answer.code, answer.json.kind]).toEqual([code, "Status"]);
    expect(answer.json.message).not.toMatch(/\n|its log/);
  });

  test("an apply with another resource version is rejected even when it changes nothing", async () => {
    const path = `${CONFIG_MAPS}/versioned`;
    const { metadata } = (await apply(path, "one", configMap("versioned", { a: "1" }))).json;
    const body = (resourceVersion: string) => ({
      ...configMap("versioned", { a: "1" }),
      metadata: { name: "versioned", resourceVersion },
    });
    expect((await apply(path, "one", body("1"))).code).toBe(409);
    expect((await apply(path, "one", body(metadata.resourceVersion))).code).toBe(200);
  });

  test("an apply with duplicate fields warns, or is rejected with strict validation", async () => {
    const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}';
    const answer = await apply(`${CONFIG_MAPS}/twice`, "one", body);
    expect([answer.code, answer.headers["warning"]]).toEqual([201, '299 - "line 1: key \\"a\\" already set in map"']);
    expect((await apply(`${CONFIG_MAPS}/twice`, "one", body, "&fieldValidation=Strict")).code).toBe(400);
  });

  test("an apply of the status has its own managedFields entry", async () => {
    const selector = { matchLabels: { app: "a" } };
    const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    const path = `${DEPLOYMENTS}/d`;
    const object = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d" } };
    expect((await apply(path, "one", { ...object, spec: { selector, template } })).code).toBe(201);
    const answer = await apply(`${path}/status`, "one", { ...object, status: { replicas: 3 } });
    expect([answer.code, answer.json.status]).toMatchObject([200, { replicas: 3 }]);
    expect((await owners(path)).map(({ subresource, fieldsV1 }) => [subresource, Object.keys(fieldsV1)])).toEqual([
      [undefined, ["f:spec"]],
      ["status", ["f:status"]],
    ]);
  });
});

describe("field ownership", () => {
  const path = `${CONFIG_MAPS}/tracked`;
  const sendAs = (userAgent: string, method: string, to: string, body: object) =>
    admin.ask(method, to, {
      body,
      headers: { "user-agent": userAgent, "content-type": method === "PATCH" ? MERGE : "application/json" },
    });

  test("is told by the user agent, or by the request itself", async () => {
    await sendAs("maker/v1.2 (linux)", "POST", CONFIG_MAPS, configMap("tracked", { a: "1", b: "2" }));
    await sendAs("changer/v1", "PATCH", path, { data: { b: "3" } });
    await sendAs("changer/v1", "PUT", `${path}?fieldManager=writer`, configMap("tracked", { a: "1", b: "3", c: "4" }));
    expect(new Set((await ownersOf(path, "data")).map(String))).toEqual(
      new Set(["maker Update,f:a", "changer Update,f:b", "writer Update,f:c"]),
    );
  });

  test("stays as it was when a client sends back what it read", async () => {
    const before = (await admin.get(path)).json;
    const same = await admin.put(path, before);
    expect([same.code, same.json]).toEqual([200, before]);
    const changed = await sendAs("reader/v1", "PUT", path, { ...before, data: { ...before.data, a: "new" } });
    expect(changed.code).toBe(200);
    expect(await ownersOf(path, "data")).toContainEqual(["reader Update", ["f:a"]]);
    expect(await ownersOf(path, "data")).toContainEqual(["changer Update", ["f:b"]]);
  });

  test("is forgotten by a list with one empty entry, and not by an empty list", async () => {
    const count = (await owners(path)).length;
    await sendAs("eraser", "PATCH", path, { metadata: { managedFields: [] } });
    expect(await owners(path)).toHaveLength(count);
    const reset = await sendAs("eraser", "PATCH", path, { metadata: { managedFields: [{}] } });
    expect(reset.code).toBe(200);
    expect(await owners(path)).toEqual([]);
    // All fields belong to the managers from before the first apply.
    await apply(path, "first", configMap("tracked", { z: "1" }));
    expect(await ownersOf(path, "data")).toEqual([
      ["first Apply", ["f:z"]],
      ["before-first-apply Update", ["f:a", "f:b", "f:c"]],
    ]);
  });

  describe("entries that a client sends", () => {
    const ENTRY = { manager: "m", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" };
    const OWNED = { "f:data": { "f:a": {} } };
    const { manager: _, ...NAMELESS } = ENTRY;
    const send = async (name: string, entry: object) => {
      await admin.ask("POST", `${CONFIG_MAPS}?fieldManager=live`, { body: configMap(name, { a: "1" }) });
      return sendAs("editor", "PATCH", `${CONFIG_MAPS}/${name}`, { metadata: { managedFields: [entry] } });
    };

    test.each<[string, string | undefined]>([
      ["sent-a", "Guess"],
      ["sent-b", ""],
      ["sent-c", undefined],
    ])("are refused for an unknown operation: %s, %j", async (name, operation) => {
      const { code, json } = await send(name, { ...ENTRY, operation, fieldsV1: OWNED });
      expect([code, json.message]).toEqual([
        422,
        `ConfigMap "${name}" is invalid: metadata.managedFields.operation: Invalid value: "${operation ?? ""}": must be \`Apply\` or \`Update\``,
      ]);
    });

    test.each<[string, unknown]>([
      ["sent-d", []],
      ["sent-e", [1]],
      ["sent-f", "x"],
      ["sent-g", 1],
      ["sent-h", true],
      ["sent-i", { "f:data": [] }],
    ])("are ignored when fieldsV1 is no field set: %s, %j", async (name, fieldsV1) => {
      expect((await send(name, { ...ENTRY, fieldsV1 })).code).toBe(200);
      expect(await ownersOf(`${CONFIG_MAPS}/${name}`, "data")).toEqual([["live Update", ["f:a"]]]);
    });

    test.each<[string, object]>([
      ["sent-j", NAMELESS],
      ["sent-k", { ...NAMELESS, manager: "" }],
    ])("have no manager member without a manager: %s, %j", async (name, entry) => {
      expect((await send(name, { ...entry, fieldsV1: OWNED })).code).toBe(200);
      expect(await owners(`${CONFIG_MAPS}/${name}`)).toEqual([{ ...NAMELESS, fieldsV1: OWNED }]);
    });
  });

  test("is kept in the version of each writer, and holds in all", async () => {
    const versions = ["v1", "v1beta1"].map(
      (version) => `/apis/policy/${version}/namespaces/default/poddisruptionbudgets`,
    );
    const [v1 = "", v1beta1 = ""] = versions;
    const object = (version: string, spec: object) => ({
      apiVersion: `policy/${version}`,
      kind: "PodDisruptionBudget",
      metadata: { name: "p" },
      spec,
    });
    await apply(`${v1}/p`, "one", object("v1", { minAvailable: 1 }));
    const refused = await apply(`${v1beta1}/p`, "two", object("v1beta1", { minAvailable: 2 }));
    expect([refused.code, refused.json.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "one": .spec.minAvailable',
    ]);
    // An applier that moves to another version keeps one entry, and can remove what it applied in the old version.
    const moved = await apply(`${v1beta1}/p`, "one", object("v1beta1", { maxUnavailable: 1 }));
    expect(moved.json.spec).toEqual({ maxUnavailable: 1 });
    expect((await owners(`${v1}/p`)).map(({ apiVersion }) => apiVersion)).toEqual(["policy/v1beta1"]);
  });
});

const deployment = (name: string, ...names: string[]) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    selector: { matchLabels: { a: "1" } },
    template: {
      metadata: { labels: { a: "1" } },
      spec: { containers: names.map((each) => ({ name: each, image: "i" })) },
    },
  },
});

function containerNames(object: object): readonly string[] {
  const { spec } = object as { spec: { template: { spec: { containers: { name: string }[] } } } };
  return spec.template.spec.containers.map(({ name }) => name);
}

test("a withdrawn container is removed although another manager set its environment", async () => {
  const path = `${DEPLOYMENTS}/withdrawn`;
  await apply(path, "one", deployment("withdrawn", "a", "b"));
  const env = [{ name: "E", value: "1" }];
  const body = { spec: { template: { spec: { containers: [{ name: "b", env }] } } } };
  const changed = await admin.ask("PATCH", `${path}?fieldManager=two`, {
    body,
    headers: { "content-type": "application/strategic-merge-patch+json" },
  });
  expect(changed.code).toBe(200);
  const answer = await apply(path, "one", deployment("withdrawn", "a"));
  expect([answer.code, containerNames(answer.json)]).toEqual([200, ["a"]]);
  expect((await owners(path)).map(({ manager }) => manager)).not.toContain("two");
});

test("a rule that aggregates roles is withdrawn as a whole", async () => {
  const path = "/apis/rbac.authorization.orch.io/v1/clusterroles/aggregated";
  const role = (more: object) => ({
    apiVersion: "rbac.authorization.orch.io/v1",
    kind: "ClusterRole",
    metadata: { name: "aggregated" },
    ...more,
  });
  await apply(path, "one", role({ aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "1" } }] } }));
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
  const answer = await apply(path, "one", role({ rules }));
  expect([answer.code, answer.json]).toMatchObject([200, { rules }]);
  expect(answer.json).not.toHaveProperty("aggregationRule");
});

describe("a new item of a list", () => {
  test("stands where the applier has it", async () => {
    const path = `${DEPLOYMENTS}/ordered`;
    await apply(path, "one", deployment("ordered", "a", "c"));
    const answer = await apply(path, "one", deployment("ordered", "a", "b", "c"));
    expect([answer.code, containerNames(answer.json)]).toEqual([200, ["a", "b", "c"]]);
  });

  test("stands behind the others in releases before 1.23", async () => {
    const server = await startServer({ flags: { "emulated-release": "1.22" } });
    const older = new ApiClient(server, server.admin);
    const applyThere = (...names: string[]) =>
      older.ask("PATCH", `${DEPLOYMENTS}/ordered?fieldManager=one`, {
        body: deployment("ordered", ...names),
        headers: { "content-type": APPLY },
      });
    await applyThere("a", "c");
    const answer = await applyThere("a", "b", "c");
    expect([answer.code, containerNames(answer.json)]).toEqual([200, ["a", "c", "b"]]);
    older.close();
    await server.stop();
  });
});

test("a client that applied by itself goes over to server-side apply without conflicts", async () => {
  const path = `${CONFIG_MAPS}/migrated`;
  const annotation = "orchctl.orch.io/last-applied-configuration";
  const object = configMap("migrated", { a: "1" });
  await admin.ask("POST", `${CONFIG_MAPS}?fieldManager=orchctl-client-side-apply`, {
    body: { ...object, metadata: { name: "migrated", annotations: { [annotation]: JSON.stringify(object) } } },
  });
  const changed = configMap("migrated", { a: "2" });
  expect((await apply(path, "other", changed)).code).toBe(409);
  const answer = await apply(path, "orchctl", changed);
  expect([answer.code, answer.json.data]).toEqual([200, { a: "2" }]);
  const annotations = answer.json.metadata.annotations as Record<string, string>;
  expect(JSON.parse(annotations[annotation] ?? "")).toEqual(changed);
});

describe("a field that a write resets", () => {
  const pod = (name: string, more: object) => ({ apiVersion: "v1", kind: "Pod", metadata: { name }, ...more });
  const containers = [{ name: "c", image: "i:1" }];
  const status = { conditions: [{ type: "Mine", status: "True" }] };
  const statusOwners = async (path: string) =>
    (await owners(path)).filter(({ fieldsV1 }) => "f:status" in fieldsV1).map(({ manager }) => manager);

  test("is not owned by the applier, who applies it to the subresource without a conflict", async () => {
    const path = `${PODS}/reset-applied`;
    expect((await apply(path, "one", pod("reset-applied", { spec: { containers } }))).code).toBe(201);
    expect((await apply(path, "two", pod("reset-applied", { status }))).code).toBe(200);
    expect(await statusOwners(path)).toEqual([]);
    const answer = await apply(`${path}/status`, "two", pod("reset-applied", { status }));
    expect([answer.code, (answer.json.status as { conditions?: object[] }).conditions]).toEqual([
      200,
      [expect.objectContaining({ type: "Mine", status: "True" })],
    ]);
    expect(await statusOwners(path)).toEqual(["two"]);
  });

  test("is taken from no owner by a create, an update or a patch of the object", async () => {
    const path = `${PODS}/reset-updated`;
    const created = await admin.post(
      `${PODS}?fieldManager=one`,
      pod("reset-updated", { spec: { containers }, status }),
    );
    expect([created.code, await statusOwners(path)]).toEqual([201, []]);
    await apply(`${path}/status`, "owner", pod("reset-updated", { status }));
    const { json } = await admin.get(path);
    const changed = { conditions: [{ type: "Mine", status: "False" }], message: "x" };
    const put = await admin.ask("PUT", `${path}?fieldManager=one`, { body: { ...json, status: changed } });
    expect([put.code, await statusOwners(path)]).toEqual([200, ["owner"]]);
    const headers = { "content-type": MERGE };
    await admin.ask("PATCH", `${path}?fieldManager=one`, { body: { status: changed }, headers });
    expect(await statusOwners(path)).toEqual(["owner"]);
  });

  test("is not owned by the writer of the status subresource", async () => {
    const path = `${PODS}/reset-spec`;
    await apply(path, "one", pod("reset-spec", { spec: { containers } }));
    const other = pod("reset-spec", { spec: { containers: [{ name: "c", image: "i:2" }] }, status });
    expect((await apply(`${path}/status`, "two", other)).code).toBe(200);
    const specOwners = (await owners(path)).filter(({ fieldsV1 }) => "f:spec" in fieldsV1);
    expect(specOwners.map(({ manager }) => manager)).toEqual(["one"]);
  });
});
