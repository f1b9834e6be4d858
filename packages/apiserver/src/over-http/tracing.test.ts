// Traces of requests, exported to a real collector over gRPC: the spans of a create, propagation, sampling and overload.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "@jest/globals";
import { type CallOptions, openStore, type Store, type TxnRequest } from "@orch/store";
import { type CollectedSpan, TraceCollector } from "@orch/testing";
import { type RunningServer, startServer } from "../server/start-server";
import { type AdmissionWebhook, admissionWebhook } from "../testing/admission-webhook";
import { ApiClient } from "../testing/api-client";

const MAPS = "/api/v1/namespaces/default/configmaps";
const REGISTRATION = "/apis/admissionregistration.orch.io/v1";
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
const EVERYTHING = 1_000_000;

const folder = mkdtempSync(join(tmpdir(), "tracing-"));
afterAll(() => rmSync(folder, { recursive: true }));

let collector: TraceCollector;
let hook: AdmissionWebhook;
let server: RunningServer;
let admin: ApiClient;
beforeEach(async () => {
  collector = await TraceCollector.open();
  hook = await admissionWebhook();
});
afterEach(async () => {
  collector.close();
  await hook.close();
});

async function start(samplingRatePerMillion: number, store?: Store): Promise<void> {
  const file = join(folder, "tracing.json");
  const apiVersion = "apiserver.config.orch.io/v1";
  const { endpoint } = collector;
  writeFileSync(file, JSON.stringify({ apiVersion, kind: "TracingConfiguration", endpoint, samplingRatePerMillion }));
  const flags = { "emulated-release": "1.36", "tracing-config-file": file };
  server = await startServer({ flags, ...(store && { store }) });
  admin = new ApiClient(server, server.admin);
}

/** Stops the server, which exports the spans that wait. */
async function stop(): Promise<void> {
  admin.close();
  await server.stop();
}

async function callWebhooks(): Promise<void> {
  for (const kind of ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]) {
    const webhook = {
      name: `${kind.toLowerCase()}.example.com`,
      rules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
      clientConfig: hook.clientConfig(`/${kind}`),
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    };
    const body = { kind, apiVersion: "admissionregistration.orch.io/v1", metadata: { name: "test" } };
    const made = await admin.post(`${REGISTRATION}/${kind.toLowerCase()}s`, { ...body, webhooks: [webhook] });
    expect(made.code).toBe(201);
  }
}

const create = (client: ApiClient, name: string, traceparent?: string) =>
  client.post(MAPS, { metadata: { name } }, traceparent === undefined ? {} : { traceparent });
const called = (): readonly string[] => hook.asked.map(({ headers }) => String(headers["traceparent"]));
const named = (name: string): readonly CollectedSpan[] => collector.spans.filter((span) => span.name === name);
const CREATE = "POST /api/v1/namespaces/{:namespace}/configmaps";

test("a create has spans of its steps, which webhooks continue", async () => {
  await start(EVERYTHING);
  await callWebhooks();
  const answer = await create(admin, "one");
  expect(answer.code).toBe(201);
  await stop();

  const [root] = named(CREATE) as [CollectedSpan];
  expect(root).toMatchObject({ parentId: "", kind: 2, service: "apiserver", status: 0 });
  expect(root.attributes).toMatchObject({
    "http.request.method": "POST",
    "http.target": MAPS,
    "http.response.status_code": "201",
    "audit-id": answer.headers["audit-id"],
    verb: "create",
  });
  const [, ...steps] = collector.tree(root);
  const names = steps.map(([name]) => name);
  expect(names.slice(0, 2)).toEqual(["authentication", "authorization"]);
  expect(names.at(-1)).toBe("Create etcd3");
  expect(names.slice(2, -1).every((name) => name.startsWith("admission/"))).toBe(true);
  expect(steps).toContainEqual(["admission/MutatingAdmissionWebhook", ["Call mutating webhook"]]);
  expect(steps).toContainEqual(["admission/ValidatingAdmissionWebhook", ["Call validating webhook"]]);
  expect(steps).toContainEqual(["admission/NamespaceLifecycle"]);

  const of = collector.spans.filter(({ traceId }) => traceId === root.traceId);
  for (const span of of) {
    expect(span.startNanos).toBeGreaterThanOrEqual(root.startNanos);
    expect(span.endNanos).toBeLessThanOrEqual(root.endNanos);
  }
  const calls = ["Call mutating webhook", "Call validating webhook"].flatMap((name) => named(name));
  expect(called()).toEqual(calls.map(({ spanId }) => `00-${root.traceId}-${spanId}-01`));
  expect(calls[0]).toMatchObject({
    events: ["Request completed"],
    attributes: {
      configuration: "test",
      webhook: "mutatingwebhookconfiguration.example.com",
      resource: "/v1, Resource=configmaps",
      operation: "CREATE",
      UID: hook.asked[0]?.review.request.uid,
    },
  });
  const [store] = of.filter(({ name }) => name === "Create etcd3");
  expect(store?.attributes).toMatchObject({ resource: "configmaps", type: "ConfigMap" });
  expect(store?.attributes["key"]).toMatch(/configmaps\/default\/one$/);
}, 30_000);

test("transactions of sampled requests carry the trace to the store, and others carry none", async () => {
  const inner = await openStore({ kind: "memory" });
  const traced: string[] = [];
  const txn = (request: TxnRequest, options?: CallOptions) => {
    const parent = options?.headers?.["traceparent"];
    const put = request.then.find(({ kind }) => kind === "put");
    if (parent !== undefined) traced.push(`${parent} ${put?.kind === "put" && put.key.split("/").at(-1)}`);
    return inner.txn(request, options);
  };
  await start(0, Object.create(inner, { txn: { value: txn } }));
  expect((await create(admin, "plain")).code).toBe(201);
  expect((await create(admin, "unsampled", `00-${TRACE}-${PARENT}-00`)).code).toBe(201);
  expect((await create(admin, "sampled", `00-${TRACE}-${PARENT}-01`)).code).toBe(201);
  await stop();
  await inner.close();
  expect(traced).toEqual([`00-${TRACE}-${named("Create etcd3")[0]?.spanId}-01 sampled`]);
}, 30_000);

test("failed steps have the status of an error, and other writes a span of their transaction", async () => {
  await start(EVERYTHING);
  await callWebhooks();
  expect((await create(admin, "one")).code).toBe(201);
  hook.answer = (_request, path) => ({ allowed: !path.startsWith("/Validating") });
  expect((await create(admin, "two")).code).toBe(400);
  hook.answer = () => ({});
  expect((await admin.ask("PUT", `${MAPS}/one`, { body: { metadata: { name: "one" }, data: { a: "b" } } })).code).toBe(
    200,
  );
  expect((await admin.ask("DELETE", `${MAPS}/one`)).code).toBe(200);
  await stop();
  const failed = collector.spans.filter(({ status }) => status === 2);
  expect(failed.map(({ name }) => name)).toEqual(["admission/ValidatingAdmissionWebhook"]);
  expect(failed[0]?.attributes).toMatchObject({ plugin: "ValidatingAdmissionWebhook", phase: "validate" });
  for (const [method, name] of [
    ["PUT", "GuaranteedUpdate etcd3"],
    ["DELETE", "Delete etcd3"],
  ] as const) {
    const [root] = named(`${method} /api/v1/namespaces/{:namespace}/configmaps/{:name}`) as [CollectedSpan];
    expect(collector.tree(root).at(-1)).toEqual([name]);
  }
}, 30_000);

test("the parent of a privileged client decides about sampling; that of another client is linked", async () => {
  await start(EVERYTHING);
  await callWebhooks();
  const user = new ApiClient(server, server.issueClient({ name: "jane" }));
  expect((await create(admin, "sampled", `00-${TRACE}-${PARENT}-01`)).code).toBe(201);
  const untraced = TRACE.replace("4b", "5c");
  expect((await create(admin, "unsampled", `00-${untraced}-${PARENT}-00`)).code).toBe(201);
  expect((await create(admin, "malformed", `00-${TRACE}-0-01`)).code).toBe(201);
  expect((await create(user, "linked", `00-${TRACE}-${PARENT}-00`)).code).toBe(403);
  user.close();
  await stop();

  const [sampled, malformed, linked] = [...named(CREATE)].sort((one, other) => one.startNanos - other.startNanos);
  expect(named(CREATE)).toHaveLength(3);
  expect(sampled).toMatchObject({ traceId: TRACE, parentId: PARENT, links: [] });
  expect(malformed).toMatchObject({ parentId: "", links: [] });
  expect(linked).toMatchObject({ parentId: "", links: [TRACE] });
  expect([malformed?.traceId, linked?.traceId]).not.toContain(TRACE);
  // A trace that is not sampled is passed on as such.
  expect(called()[0]).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
  expect(called()[2]).toMatch(new RegExp(`^00-${untraced}-[0-9a-f]{16}-00$`));
}, 30_000);

test("a rate of 0 traces only requests with a sampled parent", async () => {
  await start(0);
  await callWebhooks();
  for (let count = 0; count < 20; count += 1) expect((await create(admin, `plain-${count}`)).code).toBe(201);
  expect(called().every((header) => header === "undefined")).toBe(true);
  await create(admin, "traced", `00-${TRACE}-${PARENT}-01`);
  await stop();
  expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
  expect(named(CREATE)).toHaveLength(1);
}, 30_000);

test("a collector that does not answer delays no request, and the queue of spans is bounded", async () => {
  await start(EVERYTHING);
  collector.hangs = true;
  const startMs = performance.now();
  for (let count = 0; count < 600; count += 1) expect((await create(admin, `map-${count}`)).code).toBe(201);
  await stop();
  // The queue holds 2,048 spans, beside the batch of 512 that is under way, which is given up after 10 s and followed by
  // the next one. The requests had several thousand.
  const batches = 1 + Math.floor((performance.now() - startMs) / 10_000);
  expect(collector.spans.length).toBeGreaterThan(0);
  expect(collector.spans.length).toBeLessThanOrEqual(2048 + 512 * batches);
}, 60_000);

test("a collector that is away fails neither the start, nor requests, nor the stop", async () => {
  collector.close();
  await start(EVERYTHING);
  for (let count = 0; count < 20; count += 1) expect((await create(admin, `map-${count}`)).code).toBe(201);
  await stop();
  expect(collector.spans).toEqual([]);
}, 30_000);
