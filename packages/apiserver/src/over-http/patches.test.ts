import { beforeAll, describe, expect, test } from "@jest/globals";
import type { RunningServer } from "../server/start-server";
import { ApiClient, CONFIG_MAPS, configMap } from "../testing/api-client";
import { useServer } from "../testing/use-server";

const MERGE = "application/merge-patch+json";
const JSON_PATCH = "application/json-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";
const PODS = "/api/v1/namespaces/default/pods";

let server: RunningServer;
let admin: ApiClient;

useServer((running) => ({ server, admin } = running));

beforeAll(async () => {
  await admin.post(CONFIG_MAPS, configMap("one", { a: "1", b: "2" }));
  await admin.post(PODS, {
    metadata: { name: "p" },
    spec: {
      containers: [
        { name: "c", image: "i" },
        { name: "d", image: "d" },
      ],
    },
  });
});

const patch = (path: string, type: string, body: object | string) =>
  admin.ask("PATCH", path, { body, headers: { "content-type": type } });
const one = `${CONFIG_MAPS}/one`;
const dataOf = async () => (await admin.get(one)).json.data;

describe("a patch", () => {
  test("merges", async () => {
    const answer = await patch(one, MERGE, { data: { b: null, c: "3" } });
    expect([answer.code, answer.json.data]).toEqual([200, { a: "1", c: "3" }]);
    expect((await admin.get(one)).json).toEqual(answer.json);
  });

  test("carries out operations", async () => {
    const answer = await patch(one, JSON_PATCH, [
      { op: "test", path: "/data/a", value: "1" },
      { op: "replace", path: "/data/a", value: "one" },
      { op: "remove", path: "/data/c" },
    ]);
    expect([answer.code, answer.json.data]).toEqual([200, { a: "one" }]);
  });

  test("carries out operations as Kubernetes does: absent members are null, and positions count from the end", async () => {
    const answer = await patch(`${PODS}/p`, JSON_PATCH, [
      { op: "test", path: "/metadata/labels", value: null },
      { op: "replace", path: "/metadata/labels", value: { a: "b" } },
      { op: "test", path: "/spec/containers/-1/name", value: "d" },
      { op: "replace", path: "/spec/containers/-1/image", value: "e" },
      { op: "replace", path: "/spec/containers/-1/image", value: "d" },
    ]);
    expect([answer.code, answer.json.metadata]).toMatchObject([200, { labels: { a: "b" } }]);
  });

  test("merges lists by their keys", async () => {
    const containers = [{ name: "c", image: "j" }];
    const answer = await patch(`${PODS}/p`, STRATEGIC, { spec: { containers } });
    expect([answer.code, answer.json.spec.containers]).toMatchObject([
      200,
      [
        { name: "c", image: "j" },
        { name: "d", image: "d" },
      ],
    ]);
  });

  test("adds a list as it is, also where items have one key", async () => {
    const ports = [
      { containerPort: 53, protocol: "UDP" },
      { containerPort: 53, protocol: "TCP" },
    ];
    const body = { spec: { containers: [{ name: "c", ports }] } };
    const deployment = {
      metadata: { name: "dns" },
      spec: {
        selector: { matchLabels: { a: "1" } },
        template: { metadata: { labels: { a: "1" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    };
    const path = "/apis/apps/v1/namespaces/default/deployments";
    await admin.post(path, deployment);
    const answer = await patch(`${path}/dns`, STRATEGIC, { spec: { template: body } });
    const { template } = answer.json.spec as unknown as { template: { spec: { containers: { ports: object[] }[] } } };
    expect([answer.code, template.spec.containers[0]?.ports]).toEqual([200, ports]);
  });

  test("a patch of the status changes only the status", async () => {
    const answer = await patch(`${PODS}/p/status`, MERGE, {
      spec: { containers: [{ name: "c", image: "other" }] },
      status: { phase: "Running" },
    });
    expect([answer.code, answer.json.status.phase]).toEqual([200, "Running"]);
    expect(answer.json.spec.containers[0]?.image).toBe("j");
  });

  test("that changes nothing writes nothing", async () => {
    const before = await admin.get(one);
    for (const [type, body] of [
      [MERGE, {}],
      [MERGE, { data: { a: "one" } }],
      [JSON_PATCH, []],
      [STRATEGIC, { data: { a: "one" } }],
    ] as const) {
      const answer = await patch(one, type, body);
      expect([answer.code, answer.json]).toEqual([200, before.json]);
    }
  });

  test("a patch with another resource version is rejected, with the current one accepted", async () => {
    const { resourceVersion } = (await admin.get(one)).json.metadata;
    const stale = await patch(one, MERGE, { metadata: { resourceVersion: "1" }, data: { a: "stale" } });
    expect([stale.code, stale.json.reason]).toEqual([409, "Conflict"]);
    expect((await patch(one, MERGE, { metadata: { resourceVersion }, data: { a: "new" } })).code).toBe(200);
    expect(await dataOf()).toEqual({ a: "new" });
  });

  test("a patch of a missing object is 404", async () => {
    expect((await patch(`${CONFIG_MAPS}/none`, MERGE, {})).code).toBe(404);
    expect((await patch(`${CONFIG_MAPS}/none`, STRATEGIC, {})).code).toBe(404);
  });

  test.each([
    ["another name", MERGE, { metadata: { name: "two" } }, 400],
    ["another kind", MERGE, { kind: "Secret" }, 422],
    ["a value of another type", MERGE, { data: { a: 1 } }, 422],
    ["an object replaced by a list", MERGE, "[]", 422],
    ["no JSON", MERGE, "{", 400],
    ["a failing test", JSON_PATCH, [{ op: "test", path: "/data/a", value: "x" }], 422],
    ["no operations", JSON_PATCH, {}, 400],
    ["a value that the kind does not take", MERGE, { metadata: { labels: { "not valid": "x" } } }, 422],
  ])("with %s is refused", async (_what, type, body, code) => {
    const before = (await admin.get(one)).text;
    const answer = await patch(one, type, body);
    expect([answer.code, answer.json.kind]).toEqual([code, "Status"]);
    expect((await admin.get(one)).text).toBe(before);
  });

  test.each([
    [{ metadata: { labels: "invalid" } }, "cannot restore map from string"],
    [{ metadata: { labels: [1] } }, "cannot restore map from slice"],
    [{ metadata: { labels: 5 } }, "cannot restore map from int64"],
    [{ metadata: { labels: true } }, "cannot restore map from bool"],
    [{ metadata: { finalizers: "x" } }, "cannot restore slice from string"],
    [{ spec: { containers: { a: 1.5 } } }, "cannot restore slice from map"],
    [{ metadata: "x" }, "cannot restore struct from: string"],
    [{ spec: { containers: [{ name: "c", resources: 1.5 }] } }, "cannot restore struct from: float64"],
  ])("with %j in the place of another kind of value says what scripts look for", async (body, text) => {
    for (const type of [STRATEGIC, MERGE]) {
      const { code, json } = await patch(`${PODS}/p`, type, body);
      expect([code, json.message]).toEqual([422, expect.stringMatching(new RegExp(`${text}$`))]);
    }
  });

  test("a patch of an unknown media type is rejected with the supported ones", async () => {
    for (const type of ["application/json", "text/plain", "constructor"]) {
      const answer = await patch(one, type, {});
      expect([answer.code, answer.json.message]).toEqual([
        415,
        expect.stringContaining(`${JSON_PATCH}, ${MERGE}, ${STRATEGIC}, application/apply-patch+yaml`),
      ]);
    }
  });
});

test("fifty writers of one object all succeed, and nothing is lost", async () => {
  await admin.post(CONFIG_MAPS, configMap("shared"));
  const numbers = Array.from({ length: 50 }, (_, number) => `n${number}`);
  const answers = await Promise.all(
    numbers.map((name) => patch(`${CONFIG_MAPS}/shared`, MERGE, { data: { [name]: "x" } })),
  );
  expect(new Set(answers.map(({ code }) => code))).toEqual(new Set([200]));
  const { data, metadata } = (await admin.get(`${CONFIG_MAPS}/shared`)).json;
  expect(Object.keys(data).sort()).toEqual(numbers.sort());
  expect(new Set(answers.map(({ json }) => json.metadata.resourceVersion)).size).toBe(50);
  expect(answers.map(({ json }) => json.metadata.resourceVersion)).toContain(metadata.resourceVersion);
});

describe("unknown and repeated fields of a patch", () => {
  const odd = '{"data":{"a":"1"},"data":{"a":"2"},"nothing":1,"metadata":{"nowhere":2}}';

  test.each([[MERGE], [STRATEGIC]])("are dropped with warnings (%s)", async (type) => {
    const answer = await patch(one, type, odd);
    expect(answer.code).toBe(200);
    expect(answer.headers["warning"]).toContain('unknown field \\"nothing\\"');
    expect(answer.headers["warning"]).toContain('unknown field \\"metadata.nowhere\\"');
    expect(answer.headers["warning"]).toContain('duplicate field \\"data\\"');
  });

  test("are not spoken of to those who do not want it", async () => {
    const answer = await patch(`${one}?fieldValidation=Ignore`, MERGE, odd);
    expect([answer.code, answer.headers["warning"]]).toEqual([200, undefined]);
  });

  test("are refused all at once where the client is strict", async () => {
    const answer = await patch(`${one}?fieldValidation=Strict`, MERGE, odd);
    expect(answer.code).toBe(422);
    expect(answer.json.message).toContain(
      'strict decoding error: duplicate field "data", unknown field "metadata.nowhere", unknown field "nothing"',
    );
    const added = [{ op: "add", path: "/nothing", value: 1 }];
    expect((await patch(`${one}?fieldValidation=Strict`, JSON_PATCH, added)).code).toBe(422);
  });

  test("are found in YAML too", async () => {
    const body = "metadata: {name: odd}\ndata:\n  a: '1'\n  a: '2'\nnothing: [{b: 1, b: 2}]\n";
    const headers = { "content-type": "application/yaml" };
    const strict = await admin.post(`${CONFIG_MAPS}?fieldValidation=Strict`, body, headers);
    expect([strict.code, strict.json.message]).toEqual([
      400,
      expect.stringContaining(
        'line 4: key "a" already set in map\n  line 5: key "b" already set in map, unknown field "nothing"',
      ),
    ]);
    const loose = await admin.post(`${CONFIG_MAPS}?dryRun=All`, body, headers);
    expect([loose.code, loose.json.data]).toEqual([201, { a: "2" }]);
  });
});

describe("a dry run", () => {
  test.each([
    ["create", "POST", CONFIG_MAPS, "application/json", configMap("dry"), 201],
    ["update", "PUT", one, "application/json", configMap("one", { dry: "run" }), 200],
    ["merge patch", "PATCH", one, MERGE, { data: { dry: "run" } }, 200],
    ["JSON patch", "PATCH", one, JSON_PATCH, [{ op: "add", path: "/data/dry", value: "run" }], 200],
    ["strategic merge patch", "PATCH", one, STRATEGIC, { data: { dry: "run" } }, 200],
    [
      "apply",
      "PATCH",
      `${one}?fieldManager=m`,
      "application/apply-patch+yaml",
      { ...configMap("one", { dry: "run" }) },
      200,
    ],
    [
      "apply that creates",
      "PATCH",
      `${CONFIG_MAPS}/dry?fieldManager=m`,
      "application/apply-patch+yaml",
      configMap("dry"),
      201,
    ],
    ["deletion", "DELETE", one, "application/json", undefined, 200],
    ["deletion of all", "DELETE", CONFIG_MAPS, "application/json", undefined, 200],
  ])("a dry run of a %s returns the result and writes nothing", async (_what, method, path, type, body, code) => {
    const before = await admin.get(CONFIG_MAPS);
    const all = `${path}${path.includes("?") ? "&" : "?"}dryRun=All`;
    const sent = { headers: { "content-type": type }, ...(body === undefined ? {} : { body }) };
    const answer = await admin.ask(method, all, sent);
    expect(answer.code).toBe(code);
    if (method === "PATCH" || method === "PUT") expect(answer.json.metadata.name).toMatch(/^(one|dry)$/);
    if (answer.json.data !== undefined && code === 200 && method !== "DELETE")
      expect(answer.json.data).toMatchObject({ dry: "run" });
    expect((await admin.get(CONFIG_MAPS)).json.items).toEqual(before.json.items);
  });

  test("refuses what the write would", async () => {
    expect((await patch(`${one}?dryRun=All`, MERGE, { data: { a: 1 } })).code).toBe(422);
    expect((await patch(`${one}?dryRun=All`, MERGE, { metadata: { resourceVersion: "1" } })).code).toBe(409);
    expect((await admin.post(`${CONFIG_MAPS}?dryRun=All`, configMap("one"))).code).toBe(409);
  });

  test.each([
    ["POST", CONFIG_MAPS],
    ["PUT", one],
    ["PATCH", one],
    ["DELETE", one],
    ["DELETE", CONFIG_MAPS],
  ])("knows no other value (%s %s)", async (method, path) => {
    const headers = { "content-type": method === "PATCH" ? MERGE : "application/json" };
    const body = method === "DELETE" ? {} : { body: {} };
    const answer = await admin.ask(method, `${path}?dryRun=Some`, { headers, ...body });
    expect([answer.code, answer.json.reason]).toEqual([422, "Invalid"]);
  });

  test("is none where the key has no value", async () => {
    expect((await patch(`${one}?dryRun`, MERGE, { data: { kept: "yes" } })).code).toBe(200);
    expect(await dataOf()).toMatchObject({ kept: "yes" });
  });
});

test("permission to update does not allow patches", async () => {
  const someone = new ApiClient(server, server.issueClient({ name: "someone" }));
  const roles = "/apis/rbac.authorization.orch.io/v1/namespaces/default";
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["update"] }];
  await admin.post(`${roles}/roles`, { metadata: { name: "updater" }, rules });
  await admin.post(`${roles}/rolebindings`, {
    metadata: { name: "updater" },
    roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "Role", name: "updater" },
    subjects: [{ apiGroup: "rbac.authorization.orch.io", kind: "User", name: "someone" }],
  });
  const sent = { body: {}, headers: { "content-type": MERGE } };
  try {
    const refused = await someone.ask("PATCH", one, sent);
    expect([refused.code, refused.json.message]).toEqual([403, expect.stringContaining("cannot patch resource")]);
    rules[0]?.verbs.push("patch");
    await admin.put(`${roles}/roles/updater`, { metadata: { name: "updater" }, rules });
    const path = `${CONFIG_MAPS}/theirs?fieldManager=m`;
    const apply = { body: configMap("theirs"), headers: { "content-type": "application/apply-patch+yaml" } };
    // The server learns the new rules from its watch; until then it refuses the verb.
    let applied = await someone.ask("PATCH", path, apply);
    while (applied.json.message.includes("cannot patch")) applied = await someone.ask("PATCH", path, apply);
    expect([applied.code, applied.json.message]).toEqual([403, expect.stringContaining("cannot create resource")]);
  } finally {
    someone.close();
  }
});

test("permission to update does not allow creation by update", async () => {
  const someone = new ApiClient(server, server.issueClient({ name: "renewer" }));
  const roles = "/apis/rbac.authorization.orch.io/v1/namespaces/default";
  const rules = [{ apiGroups: ["coordination.orch.io"], resources: ["leases"], verbs: ["update"] }];
  await admin.post(`${roles}/roles`, { metadata: { name: "renewer" }, rules });
  await admin.post(`${roles}/rolebindings`, {
    metadata: { name: "renewer" },
    roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "Role", name: "renewer" },
    subjects: [{ apiGroup: "rbac.authorization.orch.io", kind: "User", name: "renewer" }],
  });
  const lease = "/apis/coordination.orch.io/v1/namespaces/default/leases/mine";
  const body = { metadata: { name: "mine" }, spec: { holderIdentity: "me" } };
  try {
    let answer = await someone.put(lease, body);
    // The server learns the new rules from its watch; until then it refuses the verb.
    while (answer.json.message.includes("cannot update")) answer = await someone.put(lease, body);
    expect([answer.code, answer.json.message]).toEqual([403, expect.stringContaining("cannot create resource")]);
    const made = await admin.put(lease, body);
    expect(made.code).toBe(201);
    expect((await someone.put(lease, made.json)).code).toBe(200);
  } finally {
    someone.close();
  }
});

test("patches and applies are counted under their own names", async () => {
  const text = (await admin.get("/metrics")).text;
  for (const verb of ["PATCH", "APPLY"]) {
    expect(text).toMatch(new RegExp(`apiserver_request_total\\{[^}]*verb="${verb}"[^}]*resource="configmaps"`));
  }
});
