// The file of --admission-control-config-file takes effect in a real server and its large-object workers; webhooks that
// it names are called over real TLS.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { type RunningServer, type StartOptions, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";
import { endless, type RemoteService, remoteService } from "../testing/remote-service";

const PODS = "/api/v1/namespaces/default/pods";
const EVENTS = "/api/v1/namespaces/default/events";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "admission-configuration-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function configured(plugins: readonly object[], flags: StartOptions["flags"] = {}): StartOptions {
  const file = join(folder, "admission.json");
  const head = { apiVersion: "apiserver.config.orch.io/v1", kind: "AdmissionConfiguration" };
  writeFileSync(file, JSON.stringify({ ...head, plugins }));
  return { flags: { "admission-control-config-file": file, ...flags } };
}

describe("the backend for image policies", () => {
  let backend: RemoteService;
  let server: RunningServer;
  let admin: ApiClient;
  let asked: { readonly url: string | undefined; readonly review: JsonObject }[];
  let answer: (response: ServerResponse) => void;

  beforeAll(async () => {
    backend = await remoteService(
      (request, body, response) => {
        asked.push({ url: request.url, review: JSON.parse(body) as JsonObject });
        answer(response);
      },
      { needsClient: true },
    );
    writeFileSync(join(folder, "backend.kubeconfig"), backend.configuration());
    const policy = { kubeConfigFile: join(folder, "backend.kubeconfig"), retryBackoff: 1, allowTTL: -1, denyTTL: -1 };
    const plugins = [{ name: "ImagePolicyWebhook", configuration: { imagePolicy: policy } }];
    const flags = { "enable-admission-plugins": ["ImagePolicyWebhook"], "large-object-threads": 1 };
    server = await startServer(configured(plugins, flags));
    admin = new ApiClient(server, server.admin);
  });
  beforeEach(() => {
    asked = [];
  });
  afterAll(async () => {
    await server.stop();
    await backend.close();
  });

  const says =
    (status: object, code = 200) =>
    (response: ServerResponse) =>
      void response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify({ status }));
  let last = 0;
  const create = (query = "", more: JsonObject = {}) => {
    last += 1;
    const pod = { metadata: { name: `p${last}`, ...more }, spec: { containers: [{ name: "c", image: "i" }] } };
    return admin.post(PODS + query, pod);
  };
  const ALLOWED = { allowed: true };

  test.each<[string, (response: ServerResponse) => void, number, string, number]>([
    ["that allows", says(ALLOWED), 201, "", 1],
    ["that allows with another code", says(ALLOWED, 201), 201, "", 1],
    ["that refuses", says({ allowed: false }), 403, "one or more images rejected by webhook backend", 1],
    [
      "that says why",
      says({ allowed: false, reason: "no" }),
      403,
      "image policy webhook backend denied one or more images: no",
      1,
    ],
    [
      "that answers 400",
      says(ALLOWED, 400),
      403,
      "the backend for image policies cannot be called: HTTP status 400",
      1,
    ],
    [
      "that answers 302",
      says(ALLOWED, 302),
      403,
      "the backend for image policies cannot be called: HTTP status 302",
      1,
    ],
    [
      "that answers 503",
      says(ALLOWED, 503),
      403,
      "the backend for image policies cannot be called: HTTP status 503",
      1,
    ],
    [
      "that answers 500, five times",
      says(ALLOWED, 500),
      403,
      "the backend for image policies cannot be called: HTTP status 500",
      5,
    ],
    [
      "that answers 429, five times",
      says(ALLOWED, 429),
      403,
      "the backend for image policies cannot be called: HTTP status 429",
      5,
    ],
    ["that answers garbage", (response) => void response.end("<html>"), 403, "it is not JSON", 1],
    ["that answers nothing", (response) => void response.end(), 403, "it is not JSON", 1],
    ["that never ends", endless, 403, "cannot be called", 1],
    ["that hangs up", (response) => void response.destroy(), 403, "cannot be called", 1],
  ])("%s is heard", async (_what, how, code, text, times) => {
    answer = how;
    const { code: given, json } = await create();
    expect([given, json.message ?? ""]).toEqual([code, expect.stringContaining(text)]);
    // A call may be retried after the connection was closed.
    expect(asked.length).toBeGreaterThanOrEqual(times);
    expect(asked[0]?.url).toBe("/review");
  });

  test("that works again after some tries is heard", async () => {
    answer = (response) => (asked.length < 3 ? says(ALLOWED, 500) : says(ALLOWED))(response);
    expect((await create()).code).toBe(201);
    expect(asked).toHaveLength(3);
  });

  test("a call of a hanging backend is canceled when the request ends", async () => {
    answer = () => {};
    expect((await create("?timeout=1s")).code).toBe(504);
  });

  test("is asked about large pods, which another thread looks at", async () => {
    answer = says({ allowed: false, reason: "too large" });
    const labels = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`l${index}`, ""]));
    const { json } = await create("", { labels });
    expect(json.message).toContain("image policy webhook backend denied one or more images: too large");
    expect(asked).toHaveLength(1);
  });
});

describe("a start is refused", () => {
  const refused = async (file: string, text: string) => {
    const plugins = [{ name: "ImagePolicyWebhook", configuration: { imagePolicy: { kubeConfigFile: file } } }];
    const { flags } = configured(plugins, { "enable-admission-plugins": ["ImagePolicyWebhook"] });
    const started = startServer({ ...(flags && { flags }) });
    await expect(started).rejects.toThrow(
      /^couldn't init admission plugin "ImagePolicyWebhook": .*admission\.json: plugins\[0\]\.configuration: /,
    );
    await expect(started).rejects.toThrow(text);
  };

  test("where the backend's file is not there", () => refused(join(folder, "gone.kubeconfig"), "gone.kubeconfig"));

  test("where the backend would be asked without TLS", async () => {
    const file = join(folder, "open.kubeconfig");
    const configuration = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "there", cluster: { server: "http://127.0.0.1:1/review" } }],
      contexts: [{ name: "there", context: { cluster: "there" } }],
      "current-context": "there",
    };
    writeFileSync(file, JSON.stringify(configuration));
    await refused(file, "URL must use https");
  });
});

describe("the rate of events", () => {
  let server: RunningServer;
  let admin: ApiClient;
  beforeAll(async () => {
    const limits = { apiVersion: "eventratelimit.admission.orch.io/v1alpha1", kind: "Configuration" };
    writeFileSync(
      join(folder, "rates.yaml"),
      JSON.stringify({ ...limits, limits: [{ type: "SourceAndObject", qps: 1, burst: 2, cacheSize: 50 }] }),
    );
    const plugins = [{ name: "EventRateLimit", path: "rates.yaml" }];
    const flags = { "enable-admission-plugins": ["EventRateLimit"], "large-object-threads": 1 };
    server = await startServer(configured(plugins, flags));
    admin = new ApiClient(server, server.admin);
  });
  afterAll(() => server.stop());

  let last = 0;
  const create = (component: string, query = "", labels: JsonObject = {}) => {
    last += 1;
    const involvedObject = { kind: "Pod", namespace: "default", name: "p" };
    return admin.post(EVENTS + query, {
      metadata: { name: `e${last}`, labels },
      involvedObject,
      source: { component },
      message: "m",
    });
  };

  test("is limited as its file beside the configuration says", async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => create("busy")));
    const [refused] = answers.filter(({ code }) => code !== 201);
    expect(answers.filter(({ code }) => code === 201).length).toBeGreaterThanOrEqual(2);
    expect(refused?.json).toMatchObject({
      code: 429,
      reason: "TooManyRequests",
      message: "Too many requests: limit reached on type SourceAndObject for key busyPoddefaultp",
    });
    expect((await create("calm")).code).toBe(201);
    expect((await create("busy", "?dryRun=All")).code).toBe(201);
  });

  test("is one for all threads", async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`l${index}`, ""]));
    expect((await create("first", "", many)).code).toBe(201);
    const begunMs = performance.now();
    const sent = Array.from({ length: 12 }, (_, at) => create("both", "", at % 2 === 0 ? many : {}));
    const codes = (await Promise.all(sent)).map(({ code }) => code);
    // A burst of two, and one per second.
    const most = 2 + (performance.now() - begunMs) / 1000;
    expect(codes.filter((code) => code === 201).length).toBeLessThanOrEqual(most);
  });

  test("is limited for events of megabytes too", async () => {
    const large = "x".repeat(900_000);
    const codes: number[] = [];
    for (let count = 0; count < 6; count += 1) codes.push((await create(large)).code);
    expect(codes.filter((code) => code !== 201 && code !== 429 && code !== 422)).toEqual([]);
    expect((await create("small")).code).toBe(201);
  });
});
