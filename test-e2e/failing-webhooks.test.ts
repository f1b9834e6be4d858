// Admission webhooks that are down or never answer: matching requests follow the failure policy, and other requests are
// not affected. The failure is reported, and webhooks that recover are called again.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AdmissionWebhooks } from "./harness/admission-webhook";
import type { ApiObject } from "./harness/api-object";
import { type ApiServer, startApiServer, startReplicas } from "./harness/api-server";
import { inParallel } from "./harness/config-maps";
import { Authority } from "./harness/credentials";
import { startEtcd } from "./harness/etcd";
import { eventually } from "./harness/eventually";
import type { Answer, ApiClient } from "./harness/https-client";
import { useWorkplace } from "./harness/processes";
import { accepts, hangs, labels, refuses } from "./harness/webhook-behaviours";
import { enforce, hooked, inForce, lift, pathOf, type WebhookEntry } from "./harness/webhook-configurations";

const workplace = useWorkplace();
const MAPS = "/api/v1/namespaces/default/configmaps";
const EVENTS = "/api/v1/namespaces/default/events";
const MERGE = { "content-type": "application/merge-patch+json" };
/** Number of consecutive failures after which a webhook is treated as failing. */
const FAILURES = 5;

let server: ApiServer;
let webhooks: AdmissionWebhooks;

beforeAll(async () => {
  const authority = new Authority(workplace);
  webhooks = await new AdmissionWebhooks(authority).start();
  server = await startApiServer(workplace, { authority, store: { kind: "memory" } });
}, 60_000);
afterAll(() => webhooks?.stop());

let made = 0;
function create(hook: string, client: ApiClient = server.admin): Promise<Answer> {
  made += 1;
  return client.post(MAPS, hooked(hook, `object-${made}`));
}

async function figure(name: string, webhook: string, more = ""): Promise<number> {
  const { body } = await server.admin.get("/metrics");
  const lines = body.split("\n").filter((line) => line.startsWith(`${name}{name="${webhook}"`) && line.includes(more));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

const warnings = async (): Promise<readonly string[]> => {
  const { status, body } = await server.admin.get("/readyz?verbose");
  expect(status).toBe(200);
  return body.split("\n").filter((line) => line.startsWith("warn: "));
};

async function eventsOf(
  configuration: string,
): Promise<readonly (ApiObject & { readonly reason?: string; readonly message?: string })[]> {
  const { items = [] } = (await server.admin.get(EVENTS)).object() as ApiObject & { items?: ApiObject[] };
  return items.filter(
    (each) => (each as { involvedObject?: { name?: string } }).involvedObject?.name === configuration,
  );
}

const entry = (path: string, more: Partial<WebhookEntry>): WebhookEntry => ({
  name: "one",
  clientConfig: webhooks.at(path),
  ...more,
});

describe("a webhook that is down", () => {
  const name = "down";
  const webhook = `${name}.example.com`;

  beforeAll(async () => {
    const entries = [entry("/down", { name, failurePolicy: "Ignore", timeoutSeconds: 30 })];
    await enforce(server.admin, webhooks, { kind: "validating", name, entries, paths: ["/down"] });
    await webhooks.stop();
  });
  afterAll(() => lift(server.admin, "validating", name));

  test("a failing webhook with the policy Ignore rejects no request and is called less often", async () => {
    for (let at = 0; at < 60; at += 1) expect((await create(name)).status).toBe(201);
    // Metrics are at most one second old.
    await eventually("all are counted", async () => {
      return (await figure("apiserver_admission_webhook_fail_open_count", webhook)) === 60;
    });
    expect(await figure("apiserver_admission_webhook_withheld_total", webhook)).toBeGreaterThan(40);
    expect(await figure("apiserver_admission_webhook_circuit_broken", webhook)).toBe(1);
  });

  test("is told of: by an event beside its configuration, and to those who ask whether the server is ready, which it is", async () => {
    const [event, ...more] = await eventually("there is an event", async () => {
      const found = await eventsOf(name);
      return found.length > 0 && found;
    });
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: "Warning",
      reason: "WebhookFailing",
      involvedObject: { kind: "ValidatingWebhookConfiguration", name },
      message: expect.stringMatching(
        /^Webhook down\.example\.com is skipped for a while: failing since .*connection refused$/,
      ),
    });
    expect(await warnings()).toEqual([
      expect.stringMatching(
        /^warn: admission webhook "down\.example\.com" of ValidatingWebhookConfiguration "down" is skipped: failing since /,
      ),
    ]);
    const anybody = await server.client(server.authority.anonymous()).get("/readyz?verbose");
    expect(anybody.status).toBe(200);
    expect(anybody.body).toContain("warn: failing admission webhooks: 1");
    expect(anybody.body).not.toContain(webhook);
    expect((await server.admin.get("/readyz")).body).toBe("ok");
  });

  test("is asked again when it is back, and nothing more is told of it", async () => {
    webhooks.does("/down", refuses({ message: "I am back" }));
    await webhooks.start();
    await eventually("it is asked", async () => (await create(name)).status === 400);
    expect(await warnings()).toEqual([]);
    // Metrics are at most one second old.
    await eventually("it is counted no more", async () => {
      return (await figure("apiserver_admission_webhook_circuit_broken", webhook)) === 0;
    });
    expect((await create(name)).status).toBe(400);
    await eventually("there is an event", async () =>
      (await eventsOf(name)).some(({ reason }) => reason === "WebhookAnswering"),
    );
  });
});

test("a webhook that is down fails those it is to judge where its policy is Fail, says since when, and judges again as soon as it is back", async () => {
  const entries = [entry("/needed", { failurePolicy: "Fail" })];
  await enforce(server.admin, webhooks, { kind: "mutating", name: "needed", entries, paths: ["/needed"] });
  await webhooks.stop();
  const messages: string[] = [];
  for (let at = 0; at < FAILURES + 3; at += 1) {
    const answer = await create("needed");
    expect(answer.status).toBe(500);
    messages.push(answer.statusBody().message ?? "");
  }
  expect(messages[0]).toMatch(/connection refused$/);
  const since = /connection refused \(failing since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z, (\d+) calls in a row\)$/;
  expect(messages.slice(FAILURES).map((each) => Number(since.exec(each)?.[1]))).toEqual([5, 6, 7]);
  expect(await warnings()).toEqual([expect.stringContaining('"needed" rejects requests: failing since')]);
  // Other requests are not affected.
  expect((await create("nobody")).status).toBe(201);
  await webhooks.start();
  expect((await create("needed")).status).toBe(201);
  expect(await warnings()).toEqual([]);
  await lift(server.admin, "mutating", "needed");
});

test.each(["Ignore", "Fail"] as const)(
  "a webhook that never answers, with policy %s, is asked by few of many, and the others are served",
  async (failurePolicy) => {
    const name = `silent-${failurePolicy.toLowerCase()}`;
    const path = `/${name}`;
    const entries = [entry(path, { failurePolicy, timeoutSeconds: 1 })];
    await enforce(server.admin, webhooks, { kind: "validating", name, entries, paths: [path] });
    webhooks.does(path, hangs);
    const total = 400;
    const others: number[] = [];
    const judged: number[] = [];
    await inParallel(total, 48, async (at) => {
      if (at % 2 === 0) judged.push((await create(name)).status);
      else others.push((await create("nobody")).status);
    });
    expect(new Set(others)).toEqual(new Set([201]));
    expect(new Set(judged)).toEqual(new Set([failurePolicy === "Ignore" ? 201 : 500]));
    // At most the calls that were under way at detection.
    expect(webhooks.askedAt(path).length).toBeLessThan(total / 4);
    webhooks.does(path, accepts);
    webhooks.cutOff();
    webhooks.asked = [];
    await eventually(
      "it is asked",
      async () => (await create(name)).status === 201 && webhooks.askedAt(path).length > 0,
    );
    await lift(server.admin, "validating", name);
  },
);

test("a webhook that never answers takes no places from requests that it is not to judge", async () => {
  const entries = [entry("/idle", { failurePolicy: "Fail", timeoutSeconds: 30 })];
  await enforce(server.admin, webhooks, { kind: "validating", name: "idle", entries, paths: ["/idle"] });
  webhooks.does("/idle", hangs);
  // More requests than the priority level has seats.
  const credentials = server.authority.user("somebody");
  const user = server.client(credentials);
  const group = "rbac.authorization.orch.io";
  const bound = await server.admin.post(`/apis/${group}/v1/clusterrolebindings`, {
    metadata: { name: "somebody" },
    roleRef: { apiGroup: group, kind: "ClusterRole", name: "edit" },
    subjects: [{ apiGroup: group, kind: "User", name: "somebody" }],
  });
  expect(bound.status).toBe(201);
  await eventually("it is in force", async () => (await create("nobody", user)).status === 201);
  const others = Array.from({ length: 3 }, () => server.client(credentials));
  const judged = Array.from({ length: 150 }, (_, at) => create("idle", others[at % 3]));
  await eventually("many wait for it", async () => webhooks.askedAt("/idle").length >= 30);
  for (let at = 0; at < 20; at += 1) expect((await create("nobody", user)).status).toBe(201);
  webhooks.does("/idle", accepts);
  webhooks.cutOff();
  for (const { status } of await Promise.all(judged)) expect([201, 500]).toContain(status);
  await lift(server.admin, "validating", "idle");
});

test("the state of a webhook is removed with its configuration or its address", async () => {
  const name = "moved";
  const entries = [entry("/moved", { failurePolicy: "Ignore" })];
  await enforce(server.admin, webhooks, { kind: "validating", name, entries, paths: ["/moved"] });
  const path = `${pathOf("validating")}/${name}`;
  const move = (url: string) =>
    server.admin.send(path, {
      method: "PATCH",
      headers: { "content-type": "application/json-patch+json" },
      body: JSON.stringify([{ op: "replace", path: "/webhooks/0/clientConfig/url", value: url }]),
    });
  expect((await move("https://127.0.0.1:1/moved")).status).toBe(200);
  await eventually("it is known to fail", async () => {
    await create(name);
    return (await warnings()).length === 1;
  });
  expect((await move(webhooks.url("/moved"))).status).toBe(200);
  await eventually("nothing is told", async () => (await warnings()).length === 0);
  webhooks.does("/moved", refuses());
  await eventually("it is asked where it is now", async () => (await create(name)).status === 400);
  expect((await move("https://127.0.0.1:1/moved")).status).toBe(200);
  await eventually("it is known to fail again", async () => {
    await create(name);
    return (await warnings()).length === 1;
  });
  await lift(server.admin, "validating", name);
  await eventually("nothing is told", async () => (await warnings()).length === 0);
});

test("an object of many values is shown to webhooks like any other, and what they make of it is stored", async () => {
  const name = "large";
  const entries = [entry("/large", { failurePolicy: "Fail" })];
  await enforce(server.admin, webhooks, { kind: "mutating", name, entries, paths: ["/large"] });
  webhooks.does("/large", labels("seen", "yes"));
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`key-${at}`, "x"]));
  const answer = await server.admin.post(MAPS, hooked(name, "large", { data }));
  expect(answer.status).toBe(201);
  expect(answer.object().metadata.labels).toEqual({ hook: name, seen: "yes" });
  const [call] = webhooks.asked;
  expect(Object.keys(call?.review.request.object?.["data"] ?? {})).toHaveLength(20_000);
  webhooks.does("/large", refuses({ message: "too much" }));
  const refused = await server.admin.post(MAPS, hooked(name, "larger", { data }));
  expect(refused.statusBody()).toMatchObject({ code: 400, message: expect.stringContaining("too much") });
  await webhooks.stop();
  const failed = await server.admin.post(MAPS, hooked(name, "larger", { data }));
  expect(failed.statusBody()).toMatchObject({ code: 500, message: expect.stringContaining("connection refused") });
  await webhooks.start();
  await lift(server.admin, "mutating", name);
});

test("a new configuration is in force on every replica, and so is its end", async () => {
  const etcd = await startEtcd(workplace);
  const replicas = await startReplicas(workplace, etcd.endpoints);
  const [first, second] = replicas;
  const guard = await new AdmissionWebhooks(first.authority).start();
  const entries = [{ name: "one", clientConfig: guard.at("/guard"), failurePolicy: "Fail" as const }];
  for (let round = 0; round < 3; round += 1) {
    await enforce(first.admin, guard, { kind: "validating", name: "guard", entries, paths: ["/guard"] });
    await inForce(second.admin, guard, { name: "guard", paths: ["/guard"] });
    guard.does("/guard", refuses());
    for (const { admin } of replicas) expect((await create("guard", admin)).status).toBe(400);
    await lift(second.admin, "validating", "guard");
    for (const { admin } of replicas) {
      await eventually("it is asked no more", async () => (await create("guard", admin)).status === 201);
    }
  }
  // A change on one replica applies on the other.
  await enforce(first.admin, guard, { kind: "validating", name: "guard", entries, paths: ["/guard"] });
  guard.does("/guard", refuses());
  const body = JSON.stringify({ webhooks: [] });
  expect(
    (await second.admin.send(`${pathOf("validating")}/guard`, { method: "PATCH", headers: MERGE, body })).status,
  ).toBe(200);
  for (const { admin } of replicas) {
    await eventually("it is asked no more", async () => (await create("guard", admin)).status === 201);
  }
  await guard.stop();
}, 120_000);
