// Faulty conversion webhooks beside a real server: clients of the resource get an error with the cause, and other
// clients are not affected.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { ApiObject } from "./harness/api-object";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { inParallel } from "./harness/config-maps";
import { Authority } from "./harness/credentials";
import { eventually } from "./harness/eventually";
import { freePort } from "./harness/free-port";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const DEFINITIONS = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";
const DEFINITION = `${DEFINITIONS}/widgets.example.com`;
const V1 = "/apis/example.com/v1/namespaces/default/widgets";
const V2 = V1.replace("/v1/", "/v2/");
const MAPS = "/api/v1/namespaces/default/configmaps";
const OBJECTS = 1_200;
const MERGE = { "content-type": "application/merge-patch+json" };
const MEBIBYTE = 1024 * 1024;

interface Review {
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly ApiObject[];
  };
}
type Behaviour = (review: Review, response: ServerResponse) => void;

let server: ApiServer;
let webhook: Server;
let caBundle: string;
/** In order of arrival. */
let asked: Review[] = [];
let behaviour: Behaviour;

const answerOf = ({ apiVersion, request }: Review, convertedObjects: readonly object[]) =>
  JSON.stringify({
    kind: "ConversionReview",
    apiVersion,
    response: { uid: request.uid, result: { status: "Success" }, convertedObjects },
  });
const converted = ({ request }: Review): readonly ApiObject[] =>
  request.objects.map((each) => ({ ...each, apiVersion: request.desiredAPIVersion }));
const honest: Behaviour = (review, response) => {
  response.end(answerOf(review, converted(review)));
};
const lying =
  (metadata: object): Behaviour =>
  (review, response) => {
    const changed = converted(review).map((each) => ({ ...each, metadata: { ...each.metadata, ...metadata } }));
    response.end(answerOf(review, changed));
  };

/** Sends until the connection is closed. */
const withoutEnd: Behaviour = (_review, response) => {
  const piece = " ".repeat(64 * 1024);
  const send = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on("drain", send);
  send();
};

async function listen(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = "";
  for await (const piece of request) text += String(piece);
  const review = JSON.parse(text) as Review;
  asked.push(review);
  behaviour(review, response);
}

const portOf = (listening: Server): number => (listening.address() as AddressInfo).port;

beforeAll(async () => {
  const authority = new Authority(workplace);
  const files = authority.issue("converter", { names: ["converter.default.svc"] });
  caBundle = readFileSync(files.ca).toString("base64");
  webhook = createServer({ cert: readFileSync(files.cert), key: readFileSync(files.key) }, (request, response) => {
    listen(request, response).catch(() => response.destroy());
  });
  webhook.listen(0, "127.0.0.1");
  await once(webhook, "listening");
  server = await startApiServer(workplace, { authority, store: { kind: "memory" } });
  const versions = ["v1", "v2"].map((name) => ({
    name,
    served: true,
    storage: name === "v1",
    schema: { openAPIV3Schema: { type: "object", "x-orch-preserve-unknown-fields": true } },
  }));
  const created = await server.admin.post(DEFINITIONS, {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions,
      conversion: { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig: byUrl() } },
    },
  });
  expect(created.status).toBe(201);
  await eventually("it is served", async () => (await server.admin.get(V2)).status === 200);
  behaviour = honest;
  await inParallel(OBJECTS, 16, async (at) => {
    await server.admin.post(V1, { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: `widget-${at}` } });
  });
}, 120_000);

afterAll(() => {
  webhook?.closeAllConnections();
  webhook?.close();
});

beforeEach(async () => {
  behaviour = honest;
  await reachedBy(byUrl());
  asked = [];
});

const byUrl = () => ({ url: `https://127.0.0.1:${portOf(webhook)}/convert`, caBundle });

/** Changes the definition, so that objects are converted again. */
async function reachedBy(clientConfig: object): Promise<void> {
  const found = (await server.admin.get(DEFINITION)).object();
  const spec = found["spec"] as { readonly conversion: { readonly webhook: object } };
  const conversion = { strategy: "Webhook", webhook: { ...spec.conversion.webhook, clientConfig } };
  const changed = await server.admin.put(DEFINITION, { ...found, spec: { ...spec, conversion } });
  expect(changed.status).toBe(200);
  await eventually("it is converted by that", async () => {
    const labels = { changed: changed.object().metadata.resourceVersion };
    const probe = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "probe", labels } };
    await server.admin.delete(`${V1}/probe`);
    return (await server.admin.post(V1, probe)).status === 201;
  });
}

/** Changes an object, so that no conversion of it is cached. */
async function fresh(name: string): Promise<void> {
  await server.admin.delete(`${V1}/${name}`);
  const object = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name } };
  expect((await server.admin.post(V1, object)).status).toBe(201);
}

async function refusal(): Promise<string> {
  await fresh("asked");
  const answer = await server.admin.get(`${V2}/asked`);
  expect(answer.status).toBe(500);
  expect(answer.statusBody()).toMatchObject({ kind: "Status", status: "Failure", reason: "InternalError" });
  return answer.statusBody().message ?? "";
}

const FAILED = "conversion webhook for example.com/v1, Kind=Widget failed: ";

test.each<[string, Behaviour, string]>([
  ["changes names", lying({ name: "another" }), "metadata.name must be the same"],
  ["changes namespaces", lying({ namespace: "another" }), "metadata.namespace must be the same"],
  ["changes uids", lying({ uid: "another" }), "metadata.uid must be the same"],
  ["answers garbage", (_review, response) => response.end("\u0000{"), "the answer is not JSON"],
  [
    "answers with too many",
    (review, response) => response.end(answerOf(review, [...converted(review), ...converted(review)])),
    "returned 2 objects, expected 1",
  ],
  ["answers with brackets alone", (_review, response) => response.end("[".repeat(3 * MEBIBYTE)), "the answer"],
  ["answers with keys alone", (_review, response) => response.end(`{${'"":0,'.repeat(600_000)}"":0}`), "the answer"],
  ["answers without end", withoutEnd, "the answer has more than"],
  ["hangs up", (_review, response) => response.destroy(), "EOF"],
  [
    "sends elsewhere",
    (_review, response) => response.writeHead(307, { location: `https://127.0.0.1:${portOf(webhook)}/other` }).end(),
    "the server responded with the status code 307",
  ],
  [
    "fails",
    (_review, response) => response.writeHead(503).end(),
    "the server is currently unable to handle the request",
  ],
])(
  "an error of a webhook that %s is returned, other requests are served, and all are after it recovers",
  async (_what, bad, why) => {
    behaviour = bad;
    const message = await refusal();
    expect(message).toContain(FAILED);
    expect(message).toContain(why);
    const list = await server.admin.get(`${V2}?limit=2`);
    // Cached conversions need no webhook.
    expect([200, 500]).toContain(list.status);
    expect((await server.admin.get(MAPS)).status).toBe(200);
    expect((await server.admin.get(`${V1}/asked`)).status).toBe(200);
    behaviour = honest;
    const answer = await server.admin.get(`${V2}/asked`);
    expect(answer.object()).toMatchObject({ apiVersion: "example.com/v2", metadata: { name: "asked" } });
  },
);

test("a webhook that hangs is waited for by those who ask it alone, and by them as long as they will", async () => {
  await fresh("asked");
  let hanging = 0;
  behaviour = () => {
    hanging += 1;
  };
  const labelled = { body: JSON.stringify({ metadata: { labels: { a: "b" } } }), headers: MERGE, method: "PATCH" };
  const waiting = Array.from({ length: 20 }, () => server.admin.send(`${V2}/asked?timeout=2s`, labelled));
  const reading = server.admin.get(`${V2}/asked`);
  await eventually("it was asked", async () => hanging > 0);
  for (const path of [MAPS, `${V1}/asked`, "/readyz", `${V1}?limit=10`]) {
    expect((await server.admin.get(path)).status).toBe(200);
  }
  for (const answer of await Promise.all(waiting)) {
    expect(answer.status).toBe(504);
    expect(answer.statusBody()).toMatchObject({ kind: "Status", reason: "Timeout" });
  }
  // The connections are closed, which ends requests without a time limit.
  behaviour = honest;
  webhook.closeAllConnections();
  expect((await reading).status).toBe(500);
  expect((await server.admin.get(`${V2}/asked`)).status).toBe(200);
});

test("an unreachable or untrusted webhook is reported as such", async () => {
  const nobody = await freePort();
  await reachedBy({ url: `https://127.0.0.1:${nobody}/convert`, caBundle });
  expect(await refusal()).toContain("connection refused");
  const other = new Authority(workplace).issue("other");
  await reachedBy({ ...byUrl(), caBundle: readFileSync(other.ca).toString("base64") });
  expect(await refusal()).toMatch(/certificate|issuer|self.signed/i);
  expect(asked).toEqual([]);
});

test("a webhook may be a service, whose certificate has the service's name", async () => {
  const service = { namespace: "default", name: "converter", path: "/by-service", port: portOf(webhook) };
  await reachedBy({ service, caBundle });
  expect(await refusal()).toContain('"converter" not found');
  await server.admin.post("/api/v1/namespaces/default/services", {
    metadata: { name: "converter" },
    spec: { type: "ExternalName", externalName: "localhost" },
  });
  await fresh("asked");
  expect((await server.admin.get(`${V2}/asked`)).object()).toMatchObject({ apiVersion: "example.com/v2" });
  expect(asked).toHaveLength(1);
});

test("lists and watches are converted, in batches, and each object once", async () => {
  const list = (await server.admin.get(V2)).object();
  expect(list.items?.every(({ apiVersion }) => apiVersion === "example.com/v2")).toBe(true);
  expect(list.items?.length).toBeGreaterThanOrEqual(OBJECTS);
  expect(asked.length).toBeLessThan(OBJECTS / 10);
  const before = asked.length;
  expect((await server.admin.get(V2)).object().items).toHaveLength(list.items?.length ?? 0);
  expect(asked).toHaveLength(before);

  const watch = await server.admin.watch(`${V2}?resourceVersion=${list.metadata.resourceVersion}`);
  await fresh("seen");
  expect(await watch.next()).toMatchObject({ type: "ADDED", object: { apiVersion: "example.com/v2" } });
  await server.admin.delete(`${V1}/seen`);
  expect(await watch.next()).toMatchObject({ type: "DELETED", object: { apiVersion: "example.com/v2" } });
  behaviour = (_review, response) => response.end("nonsense");
  await fresh("unseen");
  // A watch ends with an error instead of leaving out an object.
  expect(await watch.next()).toMatchObject({ type: "ERROR", object: { kind: "Status", code: 500 } });
  expect(await watch.next()).toBeUndefined();
});

test("calls are counted, by how they ended", async () => {
  await refusalOf((_review, response) => response.end("nonsense"));
  const { body } = await server.admin.get("/metrics");
  const counted = (succeeded: boolean) => {
    const line = body
      .split("\n")
      .find(
        (each) =>
          each.startsWith("apiserver_crd_webhook_conversion_duration_seconds_count{") &&
          each.includes('crd_name="widgets.example.com"') &&
          each.includes('from_version="v1",to_version="v2"') &&
          each.includes(`succeeded="${succeeded}"`),
      );
    return Number(line?.split(" ")[1]);
  };
  expect(counted(true)).toBeGreaterThan(0);
  expect(counted(false)).toBeGreaterThan(0);
});

async function refusalOf(bad: Behaviour): Promise<void> {
  behaviour = bad;
  await refusal();
}
