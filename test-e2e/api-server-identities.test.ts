// API servers of two releases on one etcd: their identity leases, and the StorageVersions that name them.
import { beforeAll, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { ControllerManagers, leads } from "./harness/controller-manager";
import { Authority } from "./harness/credentials";
import { startEtcd } from "./harness/etcd";
import { eventually } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";

const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const VERSIONS = "/apis/internal.apiserver.k8s.io/v1alpha1/storageversions";

interface StorageVersion {
  readonly metadata: { readonly name: string };
  readonly status: {
    readonly commonEncodingVersion?: string;
    readonly storageVersions: readonly { readonly apiServerID: string; readonly encodingVersion: string }[];
  };
}

interface Lease {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
}

const workplace = useWorkplace();
let older: ApiServer;
let newer: ApiServer;

beforeAll(async () => {
  const { endpoints } = await startEtcd(workplace);
  const authority = new Authority(workplace);
  const serving = authority.issue("serving", { names: ["kubernetes.default.svc"] });
  const proxy = authority.issue("front-proxy");
  const start = (release: string) =>
    startApiServer(workplace, {
      name: `apiserver-${release}`,
      authority,
      store: { kind: "etcd", endpoints },
      flags: [
        "--vocabulary=kubernetes",
        `--emulated-release=${release}`,
        "--feature-gates=APIServerIdentity=true,StorageVersionAPI=true",
        "--runtime-config=internal.apiserver.k8s.io/v1alpha1=true",
        `--tls-cert-file=${serving.cert}`,
        `--tls-private-key-file=${serving.key}`,
        `--peer-ca-file=${authority.caFile}`,
        `--proxy-client-cert-file=${proxy.cert}`,
        `--proxy-client-key-file=${proxy.key}`,
        `--requestheader-client-ca-file=${authority.caFile}`,
        "--requestheader-allowed-names=front-proxy",
        "--requestheader-username-headers=X-Remote-User",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
      ],
    });
  older = await start("1.26");
  newer = await start("1.36");
}, 120_000);

const items = async <Item>(path: string): Promise<readonly Item[]> =>
  ((await older.admin.get(path)).object() as unknown as { readonly items: readonly Item[] }).items;

async function identities(): Promise<readonly string[]> {
  const leases = await items<Lease>(`${LEASES}?labelSelector=apiserver.kubernetes.io/identity%3Dkube-apiserver`);
  return leases.map(({ metadata }) => metadata.name);
}

const named = async (name: string) =>
  (await items<StorageVersion>(VERSIONS)).find(({ metadata }) => metadata.name === name)?.status;

const CIDRS = "/apis/networking.k8s.io/v1/servicecidrs";
const OLD_SCHEMAS = "/apis/flowcontrol.apiserver.k8s.io/v1beta2/flowschemas";
const json = { "content-type": "application/json" };
const rerouted = async (by: ApiServer, resource: string): Promise<string | undefined> =>
  new RegExp(`^apiserver_rerouted_request_total\\{.*resource="${resource}".*\\} (.*)$`, "m").exec(
    (await by.admin.get("/metrics")).body,
  )?.[1];

test("each API server forwards requests for resources that only the other one serves", async () => {
  // The older server has started first, and reads in its next round what the newer one serves.
  await eventually("the older server knows the newer one", async () => (await older.admin.get(CIDRS)).status === 200, {
    timeoutMs: 30_000,
  });
  const body = JSON.stringify({ metadata: { name: "second" }, spec: { cidrs: ["10.77.0.0/24"] } });
  const made = await older.admin.send(CIDRS, { method: "POST", headers: json, body });
  expect([made.status, made.object()["kind"]]).toEqual([201, "ServiceCIDR"]);
  expect((await older.admin.get(`${CIDRS}/missing`)).object()).toMatchObject({ code: 404, reason: "NotFound" });
  expect((await older.admin.send(`${CIDRS}/second`, { method: "DELETE" })).status).toBe(200);

  const schemas = (await newer.admin.get(OLD_SCHEMAS)).object();
  expect(schemas).toMatchObject({ kind: "FlowSchemaList", apiVersion: "flowcontrol.apiserver.k8s.io/v1beta2" });
  expect(await rerouted(newer, "flowschemas")).toBe("1");

  // The user is authorized by both, under their own name.
  const viewer = older.client({ ...older.authority.anonymous(), token: "viewer-token" });
  expect((await viewer.get(CIDRS)).object()).toMatchObject({ code: 403 });
  // A forwarded request is not forwarded again, and no server knows the last resource.
  const local = await older.admin.send(CIDRS, { method: "GET", headers: { "x-kubernetes-peer-proxied": "true" } });
  expect(local.status).toBe(404);
  expect((await older.admin.get("/apis/networking.k8s.io/v1/nothings")).status).toBe(404);
}, 60_000);

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList";

/** Returns the versions of flowcontrol, and whether ServiceCIDRs are listed, in aggregated discovery. */
async function discovered(by: ApiServer, parameters: string) {
  const answer = await by.admin.send("/apis", { method: "GET", headers: { accept: AGGREGATED + parameters } });
  const { apiVersion = "", items: groups } = answer.object() as unknown as {
    readonly apiVersion: string;
    readonly items: readonly {
      readonly metadata: { readonly name: string };
      readonly versions: readonly { readonly version: string }[];
    }[];
  };
  const versions = groups.find(({ metadata }) => metadata.name === "flowcontrol.apiserver.k8s.io")?.versions ?? [];
  return [apiVersion.split("/").pop(), versions.map(({ version }) => version), answer.body.includes("servicecidrs")];
}

test("aggregated discovery of 1.36 has the resources of all API servers, unless its profile is nopeer", async () => {
  expect(await discovered(newer, ";v=v2")).toEqual(["v2", ["v1", "v1beta3", "v1beta2"], true]);
  expect(await discovered(newer, ";v=v2;profile=nopeer")).toEqual(["v2", ["v1"], true]);
  const legacy = (await newer.admin.get("/apis/flowcontrol.apiserver.k8s.io")).object() as {
    readonly versions?: unknown;
  };
  expect(legacy.versions).toHaveLength(1);
  const [, versions, hasCidrs] = await discovered(older, ";v=v2beta1");
  expect([versions, hasCidrs]).toEqual([["v1beta2", "v1beta3"], false]);
  // The server renders its metrics once a second at most.
  const counted = /^aggregator_discovery_nopeer_requests_total 1$/m;
  await eventually("the request without peers is counted", async () =>
    counted.test((await newer.admin.get("/metrics")).body),
  );
});

test("StorageVersions name the live API servers only", async () => {
  const live = await identities();
  expect(live).toHaveLength(2);
  const schemas = await named("flowcontrol.apiserver.k8s.io.flowschemas");
  const pods = await named("core.pods");
  expect(pods).toMatchObject({ commonEncodingVersion: "v1" });
  expect(new Set(pods?.storageVersions.map(({ apiServerID }) => apiServerID))).toEqual(new Set(live));
  // 1.26 stores v1beta2, which 1.36 no longer serves.
  expect(schemas?.commonEncodingVersion).toBeUndefined();
  expect(new Set(schemas?.storageVersions.map(({ encodingVersion }) => encodingVersion)).size).toBe(2);
  const onlyNewer = await named("networking.k8s.io.servicecidrs");
  expect(onlyNewer?.storageVersions).toHaveLength(1);

  const manager = new ControllerManagers(workplace, older, "kubernetes").start("manager", [
    "--controllers=storage-version-gc",
  ]);
  await eventually("it leads", async () => leads(manager));
  await newer.stop();
  // It is known for a moment longer.
  expect([503, 404]).toContain((await older.admin.get(CIDRS)).status);
  await eventually("nobody serves it", async () => (await older.admin.get(CIDRS)).status === 404, {
    timeoutMs: 30_000,
  });
  await eventually("its lease is gone", async () => (await identities()).length === 1);
  const [left] = await identities();
  await eventually("its entries are gone", async () => {
    const all = await items<StorageVersion>(VERSIONS);
    return all.every(({ status }) => status.storageVersions.every(({ apiServerID }) => apiServerID === left));
  });
  expect(await named("networking.k8s.io.servicecidrs")).toBeUndefined();
  expect((await named("flowcontrol.apiserver.k8s.io.flowschemas"))?.commonEncodingVersion).toBe(
    schemas?.storageVersions.find(({ apiServerID }) => apiServerID === left)?.encodingVersion,
  );
}, 60_000);

test("a request is answered with 503 while the only API server that serves its resource is unreachable", async () => {
  await newer.start();
  await eventually("it is known", async () => (await older.admin.get(CIDRS)).status === 200, { timeoutMs: 30_000 });
  newer.program.signal("SIGKILL");
  await newer.program.ended;
  expect((await older.admin.get(CIDRS)).object()).toMatchObject({ code: 503, reason: "ServiceUnavailable" });
}, 60_000);
