// Custom resources with a conversion webhook, over a real server and a real webhook.
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { webhookConverters } from "@orch/extensions";
import { makeSelfSignedCa, type SelfSignedCa } from "@orch/http-server";
import { vocabularyOf } from "@orch/schema";
import { openStore, type Store } from "@orch/store";
import { type RunningServer, startServer, startWithSeams } from "../server/start-server";
import { type Answer, ApiClient, CONFIG_MAPS } from "../testing/api-client";
import { DEFINITIONS, definition, version, WIDGETS, widget } from "../testing/custom-definitions";

const V2 = WIDGETS.replace("/v1/", "/v2/");
const PATH = `${DEFINITIONS}/widgets.example.com`;

interface Widget {
  readonly apiVersion: string;
  readonly metadata: { readonly name: string; readonly labels?: object };
  readonly spec?: { readonly size?: number; readonly bytes?: number };
}
interface Review {
  readonly apiVersion: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly Widget[] };
}

let store: Store;
let server: RunningServer;
let admin: ApiClient;
let webhook: Server;
let authority: SelfSignedCa;
let asked: Review[] = [];
/** Text of the answer; undefined: no answer. */
let answer: (review: Review) => string | undefined;

/** Field `size` of v1 is `bytes` in v2. */
const converted = ({ request }: Review) =>
  request.objects.map(({ spec = {}, ...rest }) => ({
    ...rest,
    apiVersion: request.desiredAPIVersion,
    spec: request.desiredAPIVersion.endsWith("v2") ? { bytes: spec.size } : { size: spec.bytes },
  }));

const never = () => Promise.reject(new Error("no service is asked for"));

const response = (review: Review, convertedObjects: readonly object[], more: object = {}) =>
  JSON.stringify({
    kind: "ConversionReview",
    apiVersion: review.apiVersion,
    response: { uid: review.request.uid, result: { status: "Success" }, convertedObjects, ...more },
  });

const honest = (review: Review) => response(review, converted(review));

beforeAll(async () => {
  authority = makeSelfSignedCa(["127.0.0.1", "localhost"]);
  const { certificate: cert, key } = authority.serving;
  webhook = createServer({ cert, key }, (request, reply) => {
    let text = "";
    request.on("data", (piece) => {
      text += String(piece);
    });
    request.on("end", () => {
      const review = JSON.parse(text) as Review;
      asked.push(review);
      const body = answer(review);
      if (body !== undefined) reply.end(body);
    });
  });
  await new Promise<void>((resolve) => webhook.listen(0, "127.0.0.1", resolve));
  store = await openStore({ kind: "memory" });
  server = await startServer({ store, flags: { "emulated-release": "1.36" } });
  admin = new ApiClient(server, server.admin);
});
afterAll(async () => {
  admin.close();
  await server.stop();
  await store.close();
  webhook.closeAllConnections();
  webhook.close();
});

async function until(path: string, holds: (answer: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const found = await admin.get(path);
    if (holds(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function define(conversionReviewVersions: readonly string[] = ["v1"]): Promise<void> {
  const { port } = webhook.address() as AddressInfo;
  const caBundle = Buffer.from(authority.ca.certificate).toString("base64");
  const clientConfig = { url: `https://127.0.0.1:${port}/convert`, caBundle };
  const versions = [version("v1", { storage: true }), version("v2")];
  const conversion = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions } };
  expect((await admin.post(DEFINITIONS, definition({ versions, spec: { conversion } }))).code).toBe(201);
  await until(V2, ({ code }) => code === 200);
  asked = [];
  answer = honest;
}

afterEach(async () => {
  answer = honest;
  await admin.delete(PATH);
  await until(PATH, ({ code }) => code === 404);
});

test.each(["v1", "v1beta1"])("objects are converted in batches, by reviews of %s", async (review) => {
  await define(["unknown", review]);
  for (let at = 0; at < 5; at += 1) await admin.post(WIDGETS, widget(`w${at}`, { spec: { size: at } }));
  const { json } = await admin.get(V2);
  expect(json.items.map(({ spec }) => spec)).toEqual([0, 1, 2, 3, 4].map((bytes) => ({ bytes })));
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({
    kind: "ConversionReview",
    apiVersion: `apiextensions.orch.io/${review}`,
    request: { desiredAPIVersion: "example.com/v2", objects: [{}, {}, {}, {}, {}] },
  });
  await admin.get(V2);
  expect(asked).toHaveLength(1);
  const body = { ...widget("other", { spec: { bytes: 7 } }), apiVersion: "example.com/v2" };
  expect((await admin.post(V2, body)).json.spec).toEqual({ bytes: 7 });
  expect((await admin.get(`${WIDGETS}/other`)).json.spec).toEqual({ size: 7 });
});

const objectsWith = (change: (object: Widget) => object) => (review: Review) =>
  response(
    review,
    converted(review).map((each) => change(each as Widget)),
  );

test.each<[string, (review: Review) => string, string]>([
  ["answers garbage", () => "{oops", "the answer is not JSON"],
  ["answers something else", () => "[]", "the answer is not an object"],
  ["answers as somebody else", () => '{"kind":"Pod","apiVersion":"v1"}', "not a ConversionReview"],
  ["leaves objects out", (review) => response(review, []), "returned 0 objects, expected 1"],
  ["answers another question", (review) => response(review, converted(review), { uid: "x" }), "response.uid"],
  [
    "says that it failed",
    (review) => response(review, [], { result: { status: "Failed", message: "no way" } }),
    "no way",
  ],
  [
    "changes names",
    objectsWith((each) => ({ ...each, metadata: { ...each.metadata, name: "b" } })),
    "metadata.name must be the same",
  ],
  ["changes kinds", objectsWith((each) => ({ ...each, kind: "Other" })), "kind must be the same"],
  [
    "converts to another version",
    objectsWith((each) => ({ ...each, apiVersion: "example.com/v1" })),
    "apiVersion must be example.com/v2",
  ],
  [
    "sends labels that are none",
    objectsWith((each) => ({ ...each, metadata: { ...each.metadata, labels: { a: 1 } } })),
    "labels must be a map of strings",
  ],
  ["never comes to an end", () => " ".repeat(7 * 1024 * 1024), "the answer has more than"],
])("an error of a webhook that %s is returned and affects no other requests", async (_behaviour, wrong, text) => {
  await define();
  await admin.post(WIDGETS, widget("a", { spec: { size: 1 } }));
  answer = wrong;
  const failed = await admin.get(`${V2}/a`);
  expect(failed).toMatchObject({ code: 500 });
  expect(failed.json).toMatchObject({ kind: "Status", reason: "InternalError" });
  expect(failed.json.message).toContain("conversion webhook for example.com/v1, Kind=Widget failed: ");
  expect(failed.json.message).toContain(text);
  expect((await admin.get(V2)).code).toBe(500);
  expect((await admin.get(`${WIDGETS}/a`)).code).toBe(200);
  answer = honest;
  expect((await admin.get(`${V2}/a`)).json.spec).toEqual({ bytes: 1 });
});

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]));
const manyOf = (spec: object) => Object.keys((spec as { readonly many: object }).many).length;
const many = (count: number) => objectsWith((each) => ({ ...each, spec: { many: keys(count) } }));

test("an answer of many values is read by a large-object worker, which asks for it itself", async () => {
  await define();
  await admin.post(WIDGETS, widget("a", { spec: { size: 1 } }));
  answer = many(200_000);
  const { code, json } = await admin.get(`${V2}/a`);
  expect([code, manyOf(json.spec)]).toEqual([200, 200_000]);
  expect(asked).toHaveLength(2);
  expect((await admin.get(`${V2}/a`)).code).toBe(200);
  expect(asked).toHaveLength(2);
  const accept = "application/json;as=Table;g=meta.orch.io;v=v1";
  expect((await admin.ask("GET", V2, { headers: { accept } })).code).toBe(200);
});

test("the conversion of an object of many values is shared, too", async () => {
  await define();
  await admin.post(WIDGETS, widget("a", { spec: { size: 1, many: keys(3000) } }));
  expect((await admin.get(`${V2}/a`)).json.spec).toEqual({ bytes: 1 });
  expect(asked).toHaveLength(1);
});

test("a write that meets an answer of many values is carried out by a large-object worker", async () => {
  await define();
  await admin.post(WIDGETS, widget("a", { spec: { size: 1 } }));
  answer = many(20_000);
  const headers = { "content-type": "application/merge-patch+json" };
  const patched = await admin.ask("PATCH", `${V2}/a`, { body: { spec: { more: 1 } }, headers });
  expect([patched.code, JSON.parse(patched.text).message]).toEqual([200, undefined]);
  const { json } = await admin.get(`${WIDGETS}/a`);
  expect(manyOf(json.spec)).toBe(20_000);
});

test("an answer of more values than an object may have is refused", async () => {
  await define();
  await admin.post(WIDGETS, widget("a", { spec: { size: 1 } }));
  answer = () => `[${"0,".repeat(910_000)}0]`;
  const { code, json } = await admin.get(`${V2}/a`);
  expect(code).toBe(500);
  expect(json.message).toContain("the answer has more than 910000 values");
});

test("changes of a webhook to metadata other than labels and annotations are reverted", async () => {
  await define();
  await admin.post(WIDGETS, widget("a", { spec: { size: 1 } }));
  answer = objectsWith((each) => ({
    ...each,
    metadata: { ...each.metadata, labels: { a: "b" }, finalizers: ["x/y"] },
  }));
  const { json } = await admin.get(`${V2}/a`);
  expect(json.metadata).toMatchObject({ labels: { a: "b" } });
  expect(json.metadata).not.toHaveProperty("finalizers");
});

test("a hanging webhook delays only requests that need it, up to its timeout", async () => {
  await define();
  await admin.post(WIDGETS, widget("a", { spec: { size: 1 } }));
  const converters = webhookConverters({
    vocabulary: vocabularyOf("orch"),
    resolve: never,
    guard: { refusal: () => undefined },
    timeoutMs: 300,
  });
  const impatient = await startWithSeams({ store }, { converters });
  const client = new ApiClient(impatient, impatient.admin);
  answer = () => undefined;
  const asking = client.get(`${V2}/a`);
  expect((await client.get(CONFIG_MAPS)).code).toBe(200);
  const late = await asking;
  expect(late).toMatchObject({ code: 500 });
  expect(late.json.message).toMatch(/Kind=Widget failed: Post "https:.*": context deadline exceeded$/);
  client.close();
  await impatient.stop();
});

test("the connections to webhooks end with the server", async () => {
  await define();
  await admin.post(WIDGETS, widget("a", { spec: { size: 1 } }));
  const connections = () =>
    new Promise<number>((resolve, reject) => {
      webhook.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
    });
  const before = await connections();
  const other = await startServer({ store });
  const client = new ApiClient(other, other.admin);
  while ((await client.get(`${V2}/a`)).code !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await connections()).toBeGreaterThan(before);
  client.close();
  await other.stop();
  while ((await connections()) > before) await new Promise((resolve) => setTimeout(resolve, 5));
}, 20_000);

test("a webhook with an untrusted certificate is not called", async () => {
  await define();
  await admin.post(WIDGETS, widget("a", { spec: { size: 1 } }));
  const caBundle = Buffer.from(makeSelfSignedCa(["localhost"]).ca.certificate).toString("base64");
  const body = { spec: { conversion: { webhook: { clientConfig: { caBundle } } } } };
  const headers = { "content-type": "application/merge-patch+json" };
  expect((await admin.ask("PATCH", PATH, { body, headers })).code).toBe(200);
  await until(`${V2}/a`, ({ code }) => code === 500);

  const { text } = await admin.get("/metrics");
  const outcomes = [...text.matchAll(/^apiserver_conversion_webhook_request_total\{(.*)\} [1-9]/gm)].map(
    ([, all]) => all,
  );
  expect(outcomes.sort()).toEqual([
    'result="failure",failure_type="conversion_webhook_call_failure"',
    'result="failure",failure_type="conversion_webhook_malformed_response_failure"',
    'result="success",failure_type=""',
  ]);
  expect(text).toMatch(
    /^apiserver_conversion_webhook_duration_seconds_count\{result="success",failure_type=""\} [1-9]/m,
  );
  expect(text).toMatch(/^apiserver_crd_conversion_webhook_duration_seconds_count\{crd_name="widgets.example.com"/m);
});
