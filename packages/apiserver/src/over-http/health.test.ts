import { get } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openStore, type Store, StoreError } from "@orch/store";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

let store: Store;
let alarms: readonly string[] = [];
let away = false;
let server: RunningServer;
let anybody: ApiClient;
let admin: ApiClient;

beforeAll(async () => {
  store = await openStore({ kind: "memory" });
  const { range, status } = store;
  store.range = (request, options) =>
    away ? Promise.reject(new StoreError("unavailable", "nobody there")) : range.call(store, request, options);
  store.status = async (options) => ({ ...(await status.call(store, options)), alarms });
  server = await startServer({ store });
  anybody = new ApiClient(server);
  admin = new ApiClient(server, server.admin);
});
afterAll(async () => {
  anybody.close();
  admin.close();
  await server.stop();
  await store.close();
});

/** Longer than an outcome is cached. */
const forgotten = () => new Promise((resolve) => setTimeout(resolve, 1050));

describe("health", () => {
  test.each(["/healthz", "/livez", "/readyz"])("%s is ok without authentication", async (path) => {
    const answer = await anybody.get(path);
    expect([answer.code, answer.text]).toEqual([200, "ok"]);
    expect(answer.headers).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
    });
  });

  test("tells of each check when asked", async () => {
    const { text } = await anybody.get("/readyz?verbose&exclude=ping&exclude=nothing");
    const lines = text.split("\n");
    expect(lines[0]).toBe("[+]ping excluded: ok");
    expect(lines).toContain("[+]store ok");
    expect(lines).toContain("[+]poststarthook/rbac/bootstrap-roles ok");
    expect(lines).toContain("[+]shutdown ok");
    expect(lines).toContain('warn: some health checks cannot be excluded: no matches for "nothing"');
    expect(lines.at(-2)).toBe("healthz check passed");
  });

  test.each(["healthz", "livez", "readyz"])("the answer of /%s ends as in Kubernetes", async (endpoint) => {
    expect((await anybody.get(`/${endpoint}?verbose`)).text).toMatch(/\nhealthz check passed\n$/);
  });

  test("a single check requires no authentication", async () => {
    for (const client of [admin, anybody]) {
      expect((await client.get("/livez/store")).text).toBe("ok");
      expect((await client.get("/readyz/poststarthook/rbac/bootstrap-roles")).text).toBe("ok");
      expect((await client.get("/livez/shutdown")).code).toBe(404);
    }
  });

  test("health fails while the store is unavailable, without the reason", async () => {
    await forgotten();
    away = true;
    try {
      const all = await anybody.get("/livez");
      expect(all.code).toBe(500);
      expect(all.text).toContain("[-]store failed: reason withheld\n");
      expect(all.text).toMatch(/livez check failed\n$/);
      const one = await admin.get("/livez/store");
      expect([one.code, one.text]).toEqual([500, "internal server error: nobody there\n"]);
      const anybodys = await anybody.get("/livez/store");
      expect([anybodys.code, anybodys.text]).toEqual([500, "internal server error: reason withheld\n"]);
      expect((await anybody.get("/livez?exclude=store")).code).toBe(200);
    } finally {
      away = false;
    }
    await forgotten();
    expect((await anybody.get("/livez")).code).toBe(200);
  });

  test("a server with a full store is alive and not ready", async () => {
    await forgotten();
    alarms = ["NOSPACE"];
    try {
      expect((await anybody.get("/livez")).code).toBe(200);
      expect((await anybody.get("/readyz")).code).toBe(500);
    } finally {
      alarms = [];
    }
  });
});

/** Source: Kubernetes 1.20, /readyz?verbose. */
const HOOKS_1_20 = [
  "start-kube-apiserver-admission-initializer",
  "generic-apiserver-start-informers",
  "priority-and-fairness-config-consumer",
  "priority-and-fairness-filter",
  "start-apiextensions-informers",
  "start-apiextensions-controllers",
  "crd-informer-synced",
  "bootstrap-controller",
  "rbac/bootstrap-roles",
  "scheduling/bootstrap-system-priority-classes",
  "priority-and-fairness-config-producer",
  "start-cluster-authentication-info-controller",
  "start-kube-aggregator-informers",
  "apiservice-registration-controller",
  "apiservice-status-available-controller",
  "kube-apiserver-autoregistration",
  "apiservice-openapi-controller",
];

/** Source: Kubernetes 1.36, /readyz?verbose. */
const READY_1_36 = `
  ping log etcd etcd-readiness informer-sync autoregister-completion shutdown
  poststarthook/start-apiserver-admission-initializer poststarthook/generic-apiserver-start-informers
  poststarthook/priority-and-fairness-config-consumer poststarthook/priority-and-fairness-filter
  poststarthook/storage-object-count-tracker-hook poststarthook/start-apiextensions-informers
  poststarthook/start-apiextensions-controllers poststarthook/crd-informer-synced
  poststarthook/start-system-namespaces-controller poststarthook/start-cluster-authentication-info-controller
  poststarthook/start-kube-apiserver-identity-lease-controller
  poststarthook/start-kube-apiserver-identity-lease-garbage-collector poststarthook/storage-readiness
  poststarthook/start-legacy-token-tracking-controller poststarthook/start-service-ip-repair-controllers
  poststarthook/rbac/bootstrap-roles poststarthook/scheduling/bootstrap-system-priority-classes
  poststarthook/priority-and-fairness-config-producer poststarthook/bootstrap-controller
  poststarthook/start-kubernetes-service-cidr-controller poststarthook/aggregator-reload-proxy-client-cert
  poststarthook/start-kube-aggregator-informers poststarthook/apiservice-status-local-available-controller
  poststarthook/apiservice-status-remote-available-controller poststarthook/apiservice-registration-controller
  poststarthook/apiservice-discovery-controller poststarthook/kube-apiserver-autoregistration
  poststarthook/apiservice-openapi-controller poststarthook/apiservice-openapiv3-controller
`;

test("a server of 1.36 lists the checks of that release, and has an identity lease", async () => {
  const newest = await startServer({ vocabulary: "kubernetes", flags: { "emulated-release": "1.36" } });
  const asAdmin = new ApiClient(newest, newest.admin);
  const lines = (await asAdmin.get("/readyz?verbose")).text.trimEnd().split("\n").slice(0, -1);
  const names = lines.map((line) => /^\[\+\](.+) ok$/.exec(line)?.[1]);
  const leases = await asAdmin.get("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases");
  asAdmin.close();
  await newest.stop();
  expect(names.sort()).toEqual(READY_1_36.trim().split(/\s+/).sort());
  expect(leases.json).toMatchObject({
    items: [
      {
        metadata: {
          name: expect.stringMatching(/^apiserver-/),
          labels: {
            "apiserver.kubernetes.io/identity": "kube-apiserver",
            "kubernetes.io/hostname": expect.any(String),
          },
        },
        spec: {
          holderIdentity: expect.stringMatching(/^apiserver-\w+_/),
          leaseDurationSeconds: 3600,
          renewTime: expect.stringMatching(/\.\d{6}Z$/),
        },
      },
    ],
  });
});

describe("in the kubernetes vocabulary", () => {
  let kubernetes: RunningServer;
  let client: ApiClient;
  beforeAll(async () => {
    kubernetes = await startServer({ vocabulary: "kubernetes", flags: { "emulated-release": "1.20" } });
    client = new ApiClient(kubernetes);
  });
  afterAll(async () => {
    client.close();
    await kubernetes.stop();
  });

  test("each endpoint lists what Kubernetes lists, and ends with its own name", async () => {
    const names = async (endpoint: string) => {
      const lines = (await client.get(`/${endpoint}?verbose`)).text.trimEnd().split("\n");
      expect(lines.at(-1)).toBe(`${endpoint} check passed`);
      return lines.slice(0, -1).map((line) => /^\[\+\](.+) ok$/.exec(line)?.[1]);
    };
    const hooks = HOOKS_1_20.map((hook) => `poststarthook/${hook}`);
    const live = ["ping", "log", "etcd", ...hooks, "autoregister-completion"];
    expect([...(await names("livez"))].sort()).toEqual([...live].sort());
    expect([...(await names("healthz"))].sort()).toEqual([...live].sort());
    expect([...(await names("readyz"))].sort()).toEqual([...live, "informer-sync", "shutdown"].sort());
  });

  test("the store's check is named etcd, and answered as store too", async () => {
    for (const path of ["/readyz/etcd", "/readyz/store", "/livez/store", "/healthz/store"])
      expect([path, (await client.get(path)).text]).toEqual([path, "ok"]);
    expect((await client.get("/readyz?verbose&exclude=store")).text).toContain("[+]etcd excluded: ok\n");
  });
});

test("no request is rejected before the bootstrap roles are loaded", async () => {
  const gated = await openStore({ kind: "memory" });
  const { range } = gated;
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  gated.range = async (request, options) => {
    await opened;
    return range.call(gated, request, options);
  };
  const reserved = createServer();
  await new Promise<void>((resolve) => reserved.listen(0, "127.0.0.1", resolve));
  const { port } = reserved.address() as AddressInfo;
  await new Promise((resolve) => reserved.close(resolve));
  const starting = startServer({ store: gated, flags: { "secure-port": port } });
  const codes = new Set<number | undefined>();
  const look = () =>
    new Promise<number | undefined>((resolve) => {
      get({ port, host: "127.0.0.1", path: "/readyz", rejectUnauthorized: false, agent: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).on("error", () => resolve(undefined));
    });
  for (let code = await look(); code === undefined; code = await look());
  codes.add(await look());
  open();
  const late = await starting;
  for (let code = await look(); code !== 200; code = await look()) codes.add(code);
  await late.stop();
  await gated.close();
  expect([...codes]).toContain(503);
  expect([...codes]).not.toContain(403);
});
