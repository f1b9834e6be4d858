// Audit events of a real server.
import { connect } from "node:tls";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { AuditEvent, AuditInterest, AuditSink, AuditStage } from "@orch/audit";
import { SILENT } from "@orch/observability";
import type { JsonValue } from "@orch/schema";
import { type RunningServer, startWithSeams } from "../server/start-server";
import { ApiClient, CONFIG_MAPS } from "../testing/api-client";

const ADMIN = "system:masters";

let server: RunningServer;
let admin: ApiClient;
let events: AuditEvent[];
let interest: Partial<AuditInterest> | undefined;
let refusal: Error | undefined;
let wake: (() => void) | undefined;
const errors: string[] = [];

const sink: AuditSink = {
  wants({ user, info }) {
    const isAsked = user.groups.includes(ADMIN) || user.name === "";
    if (interest === undefined || !isAsked || user.name.startsWith("system:")) return undefined;
    if (info.verb === "get" && info.kind === "path") return undefined;
    return { level: "Metadata", omits: new Set<AuditStage>(), omitManagedFields: false, ...interest };
  },
  async hear(event) {
    events.push(event);
    wake?.();
    if (refusal !== undefined) throw refusal;
  },
};

beforeAll(async () => {
  [events, interest] = [[], undefined];
  const logger = { ...SILENT, error: (message: string) => void errors.push(message) };
  server = await startWithSeams(
    { logger, flags: { "audit-changed-fields": true } },
    {
      audit: [sink],
      plugins: (made) => [
        ...made,
        {
          name: "Notes",
          make: () => ({
            on: [{ operations: ["CREATE"], resources: [{ group: "", plural: "configmaps" }] }],
            mutate({ object }) {
              if ("panic" in ((object?.["data"] ?? {}) as object)) throw new TypeError("a mistake");
            },
            validate(request) {
              request.annotate("notes.example/seen", "yes");
              request.annotate("notes.example/more", "much", "Request");
            },
          }),
        },
      ],
    },
  );
  admin = new ApiClient(server, server.admin);
}, 30_000);

afterAll(async () => {
  admin.close();
  await server.stop();
});

beforeEach(() => {
  [events, interest, refusal] = [[], {}, undefined];
});

/** Waits for an event: events may follow the answer. */
async function until(stage: AuditStage): Promise<AuditEvent> {
  for (;;) {
    const found = events.find((each) => each.stage === stage);
    if (found !== undefined) return found;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

const map = (name: string, data: object = { a: "b" }) => ({ metadata: { name }, data });
const said = async (event: AuditEvent): Promise<(JsonValue | undefined)[]> => [
  await event.requestBody?.value(),
  await event.responseBody?.value(),
];

test("each request is told when it is received and when it is answered, with what was decided of it", async () => {
  await admin.ask("POST", CONFIG_MAPS, { body: map("one"), headers: { "audit-id": "a-1", "user-agent": "tester" } });
  const complete = await until("ResponseComplete");
  expect(events.map(({ stage, code }) => [stage, code])).toEqual([
    ["RequestReceived", undefined],
    ["ResponseComplete", 201],
  ]);
  expect(complete.request).toMatchObject({
    id: "a-1",
    method: "POST",
    uri: CONFIG_MAPS,
    address: expect.stringContaining("127.0.0.1"),
    headers: { "user-agent": "tester" },
    info: { verb: "create", resource: "configmaps" },
    user: { groups: expect.arrayContaining([ADMIN]) },
  });
  expect(complete.stageAt).toBeGreaterThanOrEqual(complete.request.receivedAt);
  expect(complete.annotations).toEqual({
    "authorization.orch.io/decision": "allow",
    "authorization.orch.io/reason": "",
    "audit.orch.io/changed-fields": expect.stringContaining(".data.a"),
    "notes.example/seen": "yes",
  });
  expect(await said(complete)).toEqual([undefined, undefined]);
});

test("an answer without an object is audited by its status, for successes and failures", async () => {
  await admin.post(CONFIG_MAPS, map("short"));
  await until("ResponseComplete");
  events = [];
  await admin.delete(`${CONFIG_MAPS}/short`);
  expect((await until("ResponseComplete")).status).toMatchObject({ status: "Success", details: { name: "short" } });
  events = [];
  await admin.delete(`${CONFIG_MAPS}/short`);
  expect((await until("ResponseComplete")).status).toMatchObject({ status: "Failure", reason: "NotFound" });
});

describe("bodies are there for those who want them", () => {
  const created = { kind: "ConfigMap", metadata: { uid: expect.any(String) }, data: { a: "b" } };

  test("the request body is audited from the level Request on", async () => {
    interest = { level: "Request" };
    await admin.post(CONFIG_MAPS, map("two"));
    const complete = await until("ResponseComplete");
    expect(await said(complete)).toEqual([map("two"), undefined]);
    expect(complete.annotations).toMatchObject({ "notes.example/more": "much" });
  });

  test("the answer is audited at the level RequestResponse", async () => {
    interest = { level: "RequestResponse" };
    await admin.post(CONFIG_MAPS, map("three"));
    expect(await said(await until("ResponseComplete"))).toMatchObject([map("three"), created]);
  });

  test("a patch as it was sent", async () => {
    await admin.post(CONFIG_MAPS, map("four"));
    await until("ResponseComplete");
    [events, interest] = [[], { level: "Request" }];
    const patch = {
      body: '[{"op":"remove","path":"/data/a"}]',
      headers: { "content-type": "application/json-patch+json" },
    };
    await admin.ask("PATCH", `${CONFIG_MAPS}/four`, patch);
    expect(await said(await until("ResponseComplete"))).toEqual([[{ op: "remove", path: "/data/a" }], undefined]);
  });

  test("a list that went out compressed, in protobuf or in text", async () => {
    interest = undefined;
    for (let at = 0; at < 3; at += 1) await admin.post(CONFIG_MAPS, map(`big-${at}`, { a: "b".repeat(60_000) }));
    for (const accept of ["application/json", "application/vnd.orch.protobuf"]) {
      [events, interest] = [[], { level: "RequestResponse" }];
      await admin.ask("GET", CONFIG_MAPS, { headers: { accept, "accept-encoding": "gzip" } });
      const [request, response] = await said(await until("ResponseComplete"));
      expect(request).toBeUndefined();
      const { items } = response as unknown as { items: { metadata: { name: string } }[] };
      expect(items.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(["big-0", "big-2"]));
    }
  });

  test("the bodies of a write in a worker thread are audited", async () => {
    interest = { level: "RequestResponse" };
    const data = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`k${at}`, ""]));
    await admin.post(CONFIG_MAPS, map("many", data));
    expect(await said(await until("ResponseComplete"))).toMatchObject([{ data }, { data, metadata: { name: "many" } }]);
  });

  test("none of a failure, which is told as a Status", async () => {
    interest = { level: "RequestResponse" };
    await admin.post(CONFIG_MAPS, map("five"));
    await until("ResponseComplete");
    events = [];
    await admin.post(CONFIG_MAPS, map("five"));
    const complete = await until("ResponseComplete");
    expect([complete.code, complete.status]).toMatchObject([409, { reason: "AlreadyExists" }]);
    expect(await said(complete)).toMatchObject([map("five"), undefined]);
  });
});

test("a request for a deprecated version is annotated with its removal", async () => {
  await admin.get("/apis/batch/v1beta1/cronjobs");
  expect((await until("ResponseComplete")).annotations).toMatchObject({
    "orch.io/deprecated": "true",
    "orch.io/removed-release": "1.25",
  });
});

test("annotations of an object are audited, from the main and the worker thread", async () => {
  await admin.post(CONFIG_MAPS, map("sent"));
  expect((await until("ResponseComplete")).sent).toMatchObject({ name: "sent", uid: "" });
  events = [];
  const data = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`k${at}`, ""]));
  await admin.post(CONFIG_MAPS, map("sent-elsewhere", data));
  expect((await until("ResponseComplete")).sent).toMatchObject({ name: "sent-elsewhere" });
});

test("which fields a write changed, where that is asked for; none of a write that failed", async () => {
  const key = "audit.orch.io/changed-fields";
  const told = async () => {
    const text = (await until("ResponseComplete")).annotations[key];
    events = [];
    return text === undefined ? undefined : (JSON.parse(text) as { paths: string[]; more: number });
  };
  await admin.post(CONFIG_MAPS, map("changing"));
  expect(await told()).toEqual({ paths: [".data", ".data.a"], more: 0 });
  const change = (type: string, body: object) =>
    admin.ask("PATCH", `${CONFIG_MAPS}/changing?fieldManager=me`, { body, headers: { "content-type": type } });
  await change("application/merge-patch+json", { data: { a: null, c: "d" } });
  expect(await told()).toEqual({ paths: [".data.a", ".data.c"], more: 0 });
  await change("application/merge-patch+json", { data: { c: "d" } });
  expect(await told()).toEqual({ paths: [], more: 0 });
  const applied = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "changing" }, data: { e: "f" } };
  await change("application/apply-patch+yaml", applied);
  expect(await told()).toEqual({ paths: [".data.e"], more: 0 });
  await admin.post(CONFIG_MAPS, map("changing"));
  expect(await told()).toBeUndefined();
  const many = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`k${at}`, ""]));
  await change("application/merge-patch+json", { data: many });
  expect(await told()).toMatchObject({ paths: { length: 100 }, more: 29_900 });
  await admin.get(CONFIG_MAPS);
  expect(await told()).toBeUndefined();
});

test("a watch is told when it begins and when it ends", async () => {
  const headers = { "user-agent": "tester", "content-type": "none" };
  const watching = admin.get(`${CONFIG_MAPS}?watch=true&timeoutSeconds=1`, { headers });
  expect((await until("ResponseStarted")).code).toBe(200);
  await watching;
  expect((await until("ResponseComplete")).request.headers).toMatchObject(headers);
  expect(events.map(({ stage }) => stage)).toEqual(["RequestReceived", "ResponseStarted", "ResponseComplete"]);
});

test("omitted stages are not audited", async () => {
  interest = { omits: new Set<AuditStage>(["RequestReceived"]) };
  await admin.get(CONFIG_MAPS);
  await until("ResponseComplete");
  expect(events).toHaveLength(1);
});

test("a failure of the server itself is told as such", async () => {
  await admin.post(CONFIG_MAPS, map("six", { panic: "now" }));
  expect((await until("Panic")).status).toMatchObject({ code: 500 });
  expect(events.map(({ stage }) => stage)).toEqual(["RequestReceived", "Panic"]);
});

test("an unauthenticated request has one event", async () => {
  const stranger = new ApiClient(server);
  await stranger.ask("GET", CONFIG_MAPS, { headers: { authorization: "Bearer wrong" } });
  const event = await until("ResponseStarted");
  expect([event.request.user.name, event.code, event.status?.reason]).toEqual(["", 401, "Unauthorized"]);
  expect(events).toHaveLength(1);
  stranger.close();
});

test("a request whose reception cannot be written down is refused", async () => {
  refusal = new Error("the disk is full");
  const { code, json } = await admin.post(CONFIG_MAPS, map("seven"));
  expect([code, json.message]).toEqual([500, expect.stringContaining("failed to store audit event")]);
  await until("ResponseComplete");
  refusal = undefined;
  interest = undefined;
  expect((await admin.get(`${CONFIG_MAPS}/seven`)).code).toBe(404);
});

test("a later event that is lost is a line in the log", async () => {
  interest = { omits: new Set<AuditStage>(["RequestReceived"]) };
  refusal = new Error("the disk is full");
  expect((await admin.get(CONFIG_MAPS)).code).toBe(200);
  await until("ResponseComplete");
  await Promise.resolve();
  expect(errors).toContain("an audit event was dropped");
});

describe("a request that is refused before it is routed is one event", () => {
  const CREDENTIALS_NOT_LOOKED_AT = "";
  test.each<[string, string, number, string, string]>([
    ["an unknown method", "FOO /api/v1/pods HTTP/1.1\r\nHost: a\r\n\r\n", 400, "foo", "/api/v1/pods"],
    ["a broken header", "GET /api/v1/pods HTTP/1.1\r\nHost: a\r\nbroken header\r\n\r\n", 400, "get", "/api/v1/pods"],
    [
      "an unparsable target",
      "GET /api/v1/namespaces/%ff/pods HTTP/1.1\r\nHost: a\r\n\r\n",
      400,
      "get",
      "/api/v1/namespaces/%ff/pods",
    ],
    [
      "an unknown expectation",
      "GET /api/v1/pods HTTP/1.1\r\nHost: a\r\nExpect: much\r\n\r\n",
      417,
      "get",
      "/api/v1/pods",
    ],
    ["CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", 405, "connect", "a:1"],
    ["no Host", "GET /api/v1/pods HTTP/1.1\r\n\r\n", 400, "list", "/api/v1/pods"],
    [
      "a broken one behind another",
      "GET /livez HTTP/1.1\r\nHost: a\r\n\r\nFOO /second HTTP/1.1\r\nHost: a\r\n\r\n",
      400,
      "foo",
      "/second",
    ],
  ])("%s", async (_what, text, code, verb, uri) => {
    const socket = connect({ host: "127.0.0.1", port: Number(new URL(server.url).port), ca: server.ca });
    socket.on("error", () => {});
    socket.write(text);
    socket.resume();
    const event = await until("ResponseComplete");
    socket.destroy();
    expect([event.code, event.request.info.verb, event.request.uri]).toEqual([code, verb, uri]);
    expect(event.request.user.name).toBe(CREDENTIALS_NOT_LOOKED_AT);
    expect(event.request.id).not.toBe("");
    expect(event.status).toMatchObject({ status: "Failure", code });
    expect(events).toHaveLength(1);
  });
});
