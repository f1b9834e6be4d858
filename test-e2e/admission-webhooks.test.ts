// Faulty admission webhooks beside a real server: the outcome of a request follows from the answer, and from the
// failure policy when the answer is unusable.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AdmissionWebhooks, type AskedCall, type Behaviour } from "./harness/admission-webhook";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { Authority } from "./harness/credentials";
import { freePort } from "./harness/free-port";
import type { Answer } from "./harness/https-client";
import { useWorkplace } from "./harness/processes";
import {
  accepts,
  answers,
  closes,
  closesHalfway,
  drips,
  hangs,
  labels,
  patches,
  refuses,
  responding,
  reviewing,
  says,
} from "./harness/webhook-behaviours";
import { configurationOf, enforce, hooked, lift, pathOf, type WebhookKind } from "./harness/webhook-configurations";

const workplace = useWorkplace();
const MAPS = "/api/v1/namespaces/default/configmaps";
const KINDS: readonly WebhookKind[] = ["mutating", "validating"];
const VERSIONS = ["v1", "v1beta1"];

let server: ApiServer;
let webhooks: AdmissionWebhooks;

beforeAll(async () => {
  const authority = new Authority(workplace);
  webhooks = await new AdmissionWebhooks(authority, { names: ["hook.default.svc"] }).start();
  server = await startApiServer(workplace, { authority, store: { kind: "memory" } });
}, 60_000);
afterAll(() => webhooks?.stop());

let made = 0;
function nameOf(): string {
  made += 1;
  return `object-${made}`;
}
/** Creates an object that the configuration matches. */
const create = (hook: string, { query = "", name = nameOf() } = {}): Promise<Answer> =>
  server.admin.post(`${MAPS}${query}`, hooked(hook, name));

const FAILED = (why: string) => `Internal error occurred: failed calling webhook "one.example.com": ${why}`;
const CALL = "failed to call webhook: ";
const INVALID = "received invalid webhook response: ";
const post = (path: string, seconds = 5) => `Post "${webhooks.url(path)}?timeout=${seconds}s": `;

interface Refusal {
  readonly code: number;
  readonly reason?: string;
  readonly message: string | RegExp;
}

const denied = (text: string) => `admission webhook "one.example.com" denied the request${text}`;

const REFUSALS: readonly [string, Behaviour, Refusal][] = [
  ["nothing", refuses(), { code: 400, message: denied(" without explanation") }],
  ["a message", refuses({ message: "not today" }), { code: 400, message: denied(": not today") }],
  ["a reason", refuses({ reason: "Forbidden" }), { code: 400, reason: "Forbidden", message: denied(": Forbidden") }],
  [
    "a code",
    refuses({ code: 418, message: "tea", reason: "Forbidden" }),
    { code: 418, reason: "Forbidden", message: denied(": tea") },
  ],
  ["a code of success", refuses({ code: 200, message: "odd" }), { code: 400, message: denied(": odd") }],
  ["a code of the server's own", refuses({ code: 503, message: "later" }), { code: 503, message: denied(": later") }],
];

/** Calling errors, by behaviour of the webhook. */
const FAILURES: readonly [string, Behaviour, (path: string) => string | RegExp][] = [
  ["closes", closes, (path) => `${CALL}${post(path)}EOF`],
  ["closes in the middle", closesHalfway, (path) => `${CALL}${post(path)}unexpected EOF`],
  ["answers garbage", says("\u0000{"), () => /received invalid webhook response: couldn't get version\/kind/],
  ["answers nothing", says(""), () => /received invalid webhook response: couldn't get version\/kind/],
  [
    "answers no response",
    reviewing(({ review }) => ({ ...review, request: null })),
    () => `${INVALID}webhook response was absent`,
  ],
  ["is not there", answers(404), () => `${CALL}the server could not find the requested resource`],
  [
    "fails",
    answers(500, { body: "out of order" }),
    () => `${CALL}an error on the server ("out of order") has prevented the request from succeeding`,
  ],
  ["is busy", answers(503), () => `${CALL}the server is currently unable to handle the request`],
  [
    "sends elsewhere",
    (call, reply, socket) =>
      answers(307, { headers: { location: "https://localhost/elsewhere" } })(call, reply, socket),
    () => `${CALL}the server responded with the status code 307 but did not return more information`,
  ],
  [
    "answers 5 MB",
    says(`{"response":{"allowed":true},"more":"${"x".repeat(5_000_000)}"}`),
    (path) => `${CALL}${post(path)}the answer has more than 4718592 bytes`,
  ],
  [
    "answers headers of 1 MB",
    (_call, _reply, socket) => {
      socket.on("error", () => {});
      socket.write(`HTTP/1.1 200 OK\r\n${`x-more: ${"y".repeat(1000)}\r\n`.repeat(1000)}\r\n`);
    },
    (path) => `${CALL}${post(path)}the answer's headers are too long`,
  ],
  [
    "does not speak HTTP",
    (_call, _reply, socket) => void socket.end("SSH-2.0-what\r\n\r\n"),
    () => /malformed HTTP response/,
  ],
];

/** Faults of v1 reviews only. */
const STRICT: readonly [string, Behaviour, (call: AskedCall) => string][] = [
  [
    "another uid",
    responding({ uid: "another", allowed: true }),
    ({ review }) => `expected response.uid="${review.request.uid}", got "another"`,
  ],
  [
    "another version",
    reviewing(({ review }) => ({
      ...review,
      apiVersion: "admission.orch.io/v1beta1",
      response: { uid: review.request.uid, allowed: true },
    })),
    () =>
      "expected webhook response of admission.orch.io/v1, Kind=AdmissionReview, got admission.orch.io/v1beta1, Kind=AdmissionReview",
  ],
];

describe.each(KINDS)("a %s webhook", (kind) => {
  const hook = `${kind}-fail`;
  const open = `${kind}-ignore`;

  beforeAll(async () => {
    for (const version of VERSIONS) {
      for (const [name, failurePolicy] of [
        [hook, "Fail"],
        [open, "Ignore"],
      ] as const) {
        const path = `/${name}-${version}`;
        const entry = {
          name: "one",
          clientConfig: webhooks.at(path),
          failurePolicy,
          admissionReviewVersions: [version],
        };
        await enforce(server.admin, webhooks, { kind, name: `${name}-${version}`, entries: [entry], paths: [path] });
      }
    }
  });
  afterAll(async () => {
    for (const version of VERSIONS)
      for (const name of [hook, open]) await lift(server.admin, kind, `${name}-${version}`);
  });

  test.each(VERSIONS)("that accepts reviews of %s is told what is to be, and lets it be", async (version) => {
    const name = `${hook}-${version}`;
    webhooks.does(`/${name}`, accepts);
    webhooks.asked = [];
    expect((await create(name, { name: `told-${name}` })).status).toBe(201);
    const [call, ...more] = webhooks.asked;
    expect(more).toEqual([]);
    expect(call).toMatchObject({
      url: `/${name}?timeout=5s`,
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        "user-agent": "orch-apiserver-admission",
      },
      review: {
        apiVersion: `admission.orch.io/${version}`,
        kind: "AdmissionReview",
        request: {
          uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
          kind: { group: "", version: "v1", kind: "ConfigMap" },
          resource: { group: "", version: "v1", resource: "configmaps" },
          requestKind: { group: "", version: "v1", kind: "ConfigMap" },
          name: `told-${name}`,
          namespace: "default",
          operation: "CREATE",
          userInfo: { username: "admin" },
          object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `told-${name}`, labels: { hook: name } } },
          oldObject: null,
          dryRun: false,
        },
      },
    });
  });

  test.each(REFUSALS)("may refuse with %s, whatever its policy", async (_what, refusing, { code, reason, message }) => {
    for (const version of VERSIONS) {
      for (const name of [`${hook}-${version}`, `${open}-${version}`]) {
        webhooks.does(`/${name}`, refusing);
        const answer = await create(name);
        expect(answer.status).toBe(code);
        expect(answer.statusBody()).toMatchObject({
          kind: "Status",
          status: "Failure",
          code,
          message,
          ...(reason && { reason }),
        });
      }
    }
  });

  test.each(FAILURES)("that %s fails requests or not, as its policy says", async (_what, failing, why) => {
    for (const version of VERSIONS) {
      const name = `${hook}-${version}`;
      webhooks.does(`/${name}`, failing);
      const answer = await create(name);
      expect(answer.status).toBe(500);
      const { reason, message = "" } = answer.statusBody();
      expect(reason).toBe("InternalError");
      const wanted = why(`/${name}`);
      if (wanted instanceof RegExp) expect(message).toMatch(wanted);
      else expect(message).toBe(FAILED(wanted));
      // Resets the webhook, so that it is not treated as one that keeps failing.
      webhooks.does(`/${name}`, accepts);
      expect((await create(name)).status).toBe(201);
      const ignored = `${open}-${version}`;
      webhooks.does(`/${ignored}`, failing);
      expect((await create(ignored)).status).toBe(201);
      webhooks.does(`/${ignored}`, accepts);
      expect((await create(ignored)).status).toBe(201);
    }
  });

  test.each(STRICT)("that answers with %s is understood in v1beta1 alone", async (_what, answering, why) => {
    const [strict, lax] = VERSIONS.map((version) => `${hook}-${version}`) as [string, string];
    webhooks.does(`/${strict}`, answering, accepts);
    webhooks.asked = [];
    const answer = await create(strict);
    const [call] = webhooks.asked;
    expect(answer.status).toBe(500);
    expect(answer.statusBody().message).toBe(FAILED(`${INVALID}${why(call as AskedCall)}`));
    webhooks.does(`/${lax}`, answering, accepts);
    expect((await create(lax)).status).toBe(201);
    webhooks.does(`/${open}-v1`, answering, accepts);
    expect((await create(`${open}-v1`)).status).toBe(201);
  });

  test.each<[string, Behaviour]>([
    ["hangs", hangs],
    ["drips", drips],
  ])("that %s is waited for as long as its configuration says", async (what, late) => {
    for (const failurePolicy of ["Fail", "Ignore"] as const) {
      const name = `${kind}-${what}-${failurePolicy.toLowerCase()}`;
      const path = `/${name}`;
      const entry = { name: "one", clientConfig: webhooks.at(path), failurePolicy, timeoutSeconds: 1 };
      await enforce(server.admin, webhooks, { kind, name, entries: [entry], paths: [path] });
      webhooks.does(path, late, accepts);
      const answer = await create(name);
      if (failurePolicy === "Ignore") expect(answer.status).toBe(201);
      else {
        expect(answer.status).toBe(500);
        expect(answer.statusBody().message).toBe(FAILED(`${CALL}${post(path, 1)}context deadline exceeded`));
      }
      expect((await create(name)).status).toBe(201);
      await lift(server.admin, kind, name);
    }
  });

  test("that does not answer is waited for as long as the request has time", async () => {
    // Webhook failure and request timeout coincide; either may be reported.
    for (const [name, codes] of [
      [`${hook}-v1`, [500, 504]],
      [`${open}-v1`, [504]],
    ] as const) {
      webhooks.does(`/${name}`, hangs, accepts);
      webhooks.asked = [];
      const answer = await create(name, { query: "?timeout=1s" });
      expect(codes).toContain(answer.status);
      expect(webhooks.asked.map(({ url }) => url)).toEqual([`/${name}?timeout=1s`]);
      expect((await create(name)).status).toBe(201);
    }
  });

  test("is asked again where it wants to be", async () => {
    const path = `/${hook}-v1`;
    const later: Behaviour = answers(429, { headers: { "retry-after": "0" } });
    webhooks.does(path, later, answers(503, { headers: { "retry-after": "0" } }), later, accepts);
    webhooks.asked = [];
    expect((await create(`${hook}-v1`)).status).toBe(201);
    expect(webhooks.asked).toHaveLength(4);
    webhooks.does(path, later);
    webhooks.asked = [];
    const answer = await create(`${hook}-v1`);
    expect(answer.statusBody().message).toBe(
      FAILED(`${CALL}the server has received too many requests and has asked us to try again later`),
    );
    expect(webhooks.asked).toHaveLength(11);
    webhooks.does(path, accepts);
    expect((await create(`${hook}-v1`)).status).toBe(201);
  });

  test("is told of dry runs, if it declares that they do no harm", async () => {
    const name = `${hook}-v1`;
    webhooks.does(`/${name}`, accepts);
    webhooks.asked = [];
    const answer = await create(name, { query: "?dryRun=All", name: "dry" });
    expect(answer.status).toBe(201);
    expect(webhooks.asked.map(({ review }) => review.request.dryRun)).toEqual([true]);
    expect((await server.admin.get(`${MAPS}/dry`)).status).toBe(404);
  });

  test("that warns and annotates has its warnings told", async () => {
    const name = `${hook}-v1`;
    webhooks.does(
      `/${name}`,
      responding({ allowed: true, warnings: ["mind the gap"], auditAnnotations: { seen: "yes" } }),
    );
    const answer = await create(name);
    expect([answer.status, answer.headers["warning"]]).toEqual([201, '299 - "mind the gap"']);
    webhooks.does(`/${name}`, responding({ allowed: false, warnings: ["the gap was wide"] }), accepts);
    expect((await create(name)).headers["warning"]).toBe('299 - "the gap was wide"');
  });

  test("keeps its connections, and finds a new one when they are gone", async () => {
    const name = `${hook}-v1`;
    webhooks.does(`/${name}`, accepts);
    await create(name);
    const before = webhooks.connected;
    for (let at = 0; at < 20; at += 1) expect((await create(name)).status).toBe(201);
    expect(webhooks.connected).toBe(before);
    for (let at = 0; at < 5; at += 1) {
      webhooks.cutOff();
      expect((await create(name)).status).toBe(201);
    }
  });
});

describe("a patch", () => {
  beforeAll(async () => {
    for (const failurePolicy of ["Fail", "Ignore"] as const) {
      const name = `patch-${failurePolicy.toLowerCase()}`;
      const entry = { name: "one", clientConfig: webhooks.at(`/${name}`), failurePolicy };
      await enforce(server.admin, webhooks, { kind: "mutating", name, entries: [entry], paths: [`/${name}`] });
    }
  });
  afterAll(async () => {
    for (const name of ["patch-fail", "patch-ignore"]) await lift(server.admin, "mutating", name);
  });

  test("is applied", async () => {
    webhooks.does("/patch-fail", patches({ op: "add", path: "/data", value: { added: "yes" } }));
    const answer = await create("patch-fail");
    expect(answer.status).toBe(201);
    expect(answer.object()).toMatchObject({ data: { added: "yes" } });
  });

  test("may change between calls", async () => {
    webhooks.does(
      "/patch-fail",
      labels("n", "1"),
      accepts,
      labels("n", "2"),
      refuses({ message: "enough" }),
      labels("n", "3"),
    );
    const seen: unknown[] = [];
    for (let at = 0; at < 5; at += 1) {
      const answer = await create("patch-fail");
      seen.push(answer.status === 201 ? answer.object().metadata.labels?.["n"] : answer.status);
    }
    expect(seen).toEqual(["1", undefined, "2", 400, "3"]);
  });

  test.each<[string, Behaviour, RegExp]>([
    ["tests in vain", patches({ op: "test", path: "/data", value: 1 }), /patch/],
    ["leads nowhere", patches({ op: "remove", path: "/no/where" }), /patch/],
    ["makes another kind", patches({ op: "replace", path: "/kind", value: "Secret" }), /kind/],
    ["makes what is no object of the kind", patches({ op: "add", path: "/data", value: 7 }), /./],
    ["has no operations that are known", patches({ op: "improve", path: "/data" }), /./],
  ])("that %s fails the request and stores nothing", async (_what, bad, why) => {
    webhooks.does("/patch-fail", bad, accepts);
    const answer = await create("patch-fail", { name: "badly-patched" });
    expect(answer.status).toBe(500);
    expect(answer.statusBody()).toMatchObject({
      kind: "Status",
      reason: "InternalError",
      message: expect.stringMatching(why),
    });
    expect((await server.admin.get(`${MAPS}/badly-patched`)).status).toBe(404);
  });

  test.each<[string, Behaviour, string]>([
    [
      "without its type",
      responding({ allowed: true, patch: "W10=" }),
      "webhook returned response.patch but not response.patchType",
    ],
    [
      "that is not there",
      responding({ allowed: true, patchType: "JSONPatch" }),
      "webhook returned response.patchType but not response.patch",
    ],
    [
      "of another type",
      responding({ allowed: true, patchType: "Merge", patch: "W10=" }),
      'webhook returned invalid response.patchType of "Merge"',
    ],
  ])("%s is none, and follows the policy", async (_what, bad, why) => {
    webhooks.does("/patch-fail", bad, accepts);
    const answer = await create("patch-fail");
    expect([answer.status, answer.statusBody().message]).toEqual([500, FAILED(`${INVALID}${why}`)]);
    webhooks.does("/patch-ignore", bad, accepts);
    expect((await create("patch-ignore")).status).toBe(201);
  });

  test("a patch of a validating webhook is rejected", async () => {
    const entry = { name: "one", clientConfig: webhooks.at("/judge"), failurePolicy: "Fail" } as const;
    await enforce(server.admin, webhooks, { kind: "validating", name: "judge", entries: [entry], paths: ["/judge"] });
    webhooks.does("/judge", labels("a", "b"), accepts);
    const answer = await create("judge");
    expect(answer.statusBody().message).toBe(FAILED(`${INVALID}validating webhook may not return response.patch`));
    await lift(server.admin, "validating", "judge");
  });
});

test("three webhooks in a row see what those before them made, and those who want to are asked again about what came after", async () => {
  const entries = ["a", "b", "c"].map((name) => ({
    name,
    clientConfig: webhooks.at(`/row-${name}`),
    reinvocationPolicy: name === "c" ? "Never" : "IfNeeded",
  }));
  const paths = entries.map(({ name }) => `/row-${name}`);
  await enforce(server.admin, webhooks, { kind: "mutating", name: "row", entries, paths });
  for (const name of ["a", "b", "c"]) webhooks.does(`/row-${name}`, labels(name, "1"), labels(name, "2"));
  const answer = await create("row");
  expect(answer.status).toBe(201);
  const seen = webhooks.asked.map(({ url, review }) => [
    url.slice(0, "/row-x".length),
    Object.keys(review.request.object?.metadata.labels ?? {})
      .sort()
      .join(),
  ]);
  expect(seen).toEqual([
    ["/row-a", "hook"],
    ["/row-b", "a,hook"],
    ["/row-c", "a,b,hook"],
    ["/row-a", "a,b,c,hook"],
    ["/row-b", "a,b,c,hook"],
  ]);
  expect(answer.object().metadata.labels).toEqual({ hook: "row", a: "2", b: "2", c: "1" });
  await lift(server.admin, "mutating", "row");
});

test("a webhook that has no side effects in dry runs is asked in one, and told that it is one", async () => {
  const entry = {
    name: "one",
    clientConfig: webhooks.at("/some"),
    failurePolicy: "Ignore",
    sideEffects: "NoneOnDryRun",
  } as const;
  await enforce(server.admin, webhooks, { kind: "validating", name: "some", entries: [entry], paths: ["/some"] });
  expect((await create("some", { query: "?dryRun=All" })).status).toBe(201);
  expect(webhooks.asked.map(({ review }) => review.request.dryRun)).toEqual([true]);
  await lift(server.admin, "validating", "some");
});

test("webhooks are never asked about the configurations of webhooks", async () => {
  const rules = [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"] }];
  const entry = {
    name: "one",
    clientConfig: webhooks.at("/all"),
    rules,
    objectSelector: {},
    failurePolicy: "Fail",
  } as const;
  await enforce(server.admin, webhooks, { kind: "validating", name: "all", entries: [entry], paths: ["/all"] });
  webhooks.does("/all", refuses());
  expect((await create("nobody")).status).toBe(400);
  const other = configurationOf("mutating", "other", [{ name: "one", clientConfig: webhooks.at("/other") }]);
  expect((await server.admin.post(pathOf("mutating"), other)).status).toBe(201);
  expect((await server.admin.delete(`${pathOf("mutating")}/other`)).status).toBe(200);
  expect((await server.admin.delete(`${pathOf("validating")}/all`)).status).toBe(200);
});

describe("where a webhook is", () => {
  const used: [WebhookKind, string][] = [];
  afterAll(async () => {
    for (const [kind, name] of used) await lift(server.admin, kind, name);
  });

  async function failureOf(name: string, clientConfig: object): Promise<string> {
    used.push(["validating", name]);
    const entries = [{ name: "one", clientConfig, failurePolicy: "Fail" as const, timeoutSeconds: 10 }];
    const created = await server.admin.post(pathOf("validating"), configurationOf("validating", name, entries));
    expect(created.status).toBe(201);
    for (;;) {
      const answer = await create(name);
      if (answer.status !== 201) return answer.statusBody().message ?? "";
    }
  }

  test("a port without a listener", async () => {
    const port = await freePort();
    const message = await failureOf("nobody-there", {
      url: `https://127.0.0.1:${port}/x`,
      caBundle: webhooks.caBundle,
    });
    const why = `dial tcp 127.0.0.1:${port}: connect: connection refused`;
    expect(message).toBe(FAILED(`${CALL}Post "https://127.0.0.1:${port}/x?timeout=10s": ${why}`));
  });

  test("an unknown host name", async () => {
    const message = await failureOf("no-such-host", { url: "https://hook.invalid/x" });
    expect(message).toContain(`Post "https://hook.invalid/x?timeout=10s": dial tcp: lookup hook.invalid`);
  });

  test("a server with an untrusted certificate", async () => {
    const other = new Authority(workplace);
    const stranger = await new AdmissionWebhooks(other, { name: "stranger" }).start();
    stranger.does("/x", accepts);
    const clientConfig = { url: stranger.url("/x"), caBundle: webhooks.caBundle };
    expect(await failureOf("stranger", clientConfig)).toContain("x509: certificate signed by unknown authority");
    // The system's trusted roots do not apply.
    expect(await failureOf("stranger-by-roots", { url: stranger.url("/x") })).toContain("x509: ");
    expect(stranger.asked).toEqual([]);
    await stranger.stop();
  });

  test("a server whose certificate has another name", async () => {
    const metadata = { name: "other" };
    const spec = { type: "ExternalName", externalName: "localhost" };
    expect((await server.admin.post("/api/v1/namespaces/default/services", { metadata, spec })).status).toBe(201);
    webhooks.does("/another", accepts);
    const service = { namespace: "default", name: "other", path: "/another", port: webhooks.listensOn };
    const message = await failureOf("another-name", { service, caBundle: webhooks.caBundle });
    expect(message).toContain("x509: certificate is not valid for other.default.svc");
    expect(webhooks.askedAt("/another")).toEqual([]);
  });

  test("a service, under whose name its certificate is, at the service's own address", async () => {
    const service = {
      metadata: { name: "hook" },
      spec: { type: "ExternalName", externalName: "localhost" },
    };
    expect((await server.admin.post("/api/v1/namespaces/default/services", service)).status).toBe(201);
    const at = { namespace: "default", name: "hook", path: "/by-service", port: webhooks.listensOn };
    const clientConfig = { service: at, caBundle: webhooks.caBundle };
    const entry = { name: "one", clientConfig, failurePolicy: "Fail" } as const;
    used.push(["validating", "by-service"]);
    await enforce(server.admin, webhooks, {
      kind: "validating",
      name: "by-service",
      entries: [entry],
      paths: ["/by-service"],
    });
    expect((await create("by-service")).status).toBe(201);
    expect(webhooks.asked[0]?.headers["host"]).toBe(`hook.default.svc:${webhooks.listensOn}`);
    const message = await failureOf("no-service", { service: { ...at, name: "nowhere" }, caBundle: webhooks.caBundle });
    expect(message).toBe(
      FAILED(
        `${CALL}Post "https://nowhere.default.svc:${at.port}/by-service?timeout=10s": service "nowhere" not found`,
      ),
    );
  });

  test("the service of the API itself is called for a path of an aggregated API only", async () => {
    const service = { namespace: "default", name: "orch", path: "/api/v1/namespaces" };
    const message = await failureOf("own-service", { service, caBundle: webhooks.caBundle });
    expect(message).toContain("service default/orch is the service of the API itself");
  });

  test("one that offers HTTP/2 is asked by it, on one connection", async () => {
    const modern = await new AdmissionWebhooks(server.authority, { http2: true }).start();
    const entry = { name: "one", clientConfig: modern.at("/h2"), failurePolicy: "Fail" } as const;
    used.push(["validating", "modern"]);
    await enforce(server.admin, modern, { kind: "validating", name: "modern", entries: [entry], paths: ["/h2"] });
    const all = await Promise.all(Array.from({ length: 20 }, () => create("modern")));
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 201));
    expect(new Set(modern.asked.map(({ httpVersion }) => httpVersion))).toEqual(new Set(["2.0"]));
    expect(modern.connected).toBe(1);
    modern.cutOff();
    expect((await create("modern")).status).toBe(201);
    await modern.stop();
  });
});
