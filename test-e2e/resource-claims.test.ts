// Resource claims of pods, by a separate controller manager process: made from templates, and released with their pod.
import { beforeAll, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { ControllerManagers, leads } from "./harness/controller-manager";
import { eventually } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
const TEMPLATES = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates";
const PODS = "/api/v1/namespaces/default/pods";
let server: ApiServer;

beforeAll(async () => {
  server = await startApiServer(workplace, {
    store: { kind: "embedded" },
    flags: [
      "--vocabulary=kubernetes",
      "--emulated-release=1.36",
      "--runtime-config=resource.k8s.io/v1beta2=true,resource.k8s.io/v1alpha3=true",
    ],
  });
  const manager = new ControllerManagers(workplace, server, "kubernetes").start("manager");
  await eventually("it leads", async () => leads(manager));
}, 60_000);

async function send(method: string, path: string, body?: object): Promise<number> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return (await server.admin.send(path, { method, headers: { "content-type": type }, ...sent })).status;
}

interface Claim {
  readonly metadata: { readonly name: string; readonly annotations?: object };
  readonly status?: { readonly allocation?: object; readonly reservedFor?: readonly object[] };
}

const claims = async (): Promise<readonly Claim[]> =>
  ((await server.admin.get(CLAIMS)).object() as unknown as { readonly items: readonly Claim[] }).items;

interface Pod {
  readonly metadata: { readonly uid: string };
  readonly status: { readonly resourceClaimStatuses?: readonly { readonly resourceClaimName: string }[] };
}

const podOf = async (name: string) => (await server.admin.get(`${PODS}/${name}`)).object() as unknown as Pod;

/** Creates a pod and returns the name of the claim that is made for it. */
async function podWithClaim(name: string): Promise<string> {
  const resourceClaims = [{ name: "gpu", resourceClaimTemplateName: "gpu" }];
  const containers = [{ name: "c", image: "i", resources: { claims: [{ name: "gpu" }] } }];
  expect(await send("POST", PODS, { metadata: { name }, spec: { resourceClaims, containers } })).toBe(201);
  await eventually("the claim is recorded", async () => {
    return (await podOf(name)).status.resourceClaimStatuses?.[0]?.resourceClaimName !== undefined;
  });
  return (await podOf(name)).status.resourceClaimStatuses?.[0]?.resourceClaimName ?? "";
}

/** Allocates a device to the claim of a pod, as the scheduler does. */
async function allocate(claim: string, pod: string, pool = "p"): Promise<void> {
  const { uid } = (await podOf(pod)).metadata;
  const finalizers = ["resource.kubernetes.io/delete-protection"];
  expect(await send("PATCH", `${CLAIMS}/${claim}`, { metadata: { finalizers } })).toBe(200);
  const results = [{ request: "r", driver: "gpu.example.com", pool, device: "d" }];
  const status = { allocation: { devices: { results } }, reservedFor: [{ resource: "pods", name: pod, uid }] };
  expect(await send("PATCH", `${CLAIMS}/${claim}/status`, { status })).toBe(200);
}

test("a claim is made when its template exists, and deleted when its pod has ended", async () => {
  const devices = { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] };
  expect(await send("POST", TEMPLATES, { metadata: { name: "gpu" }, spec: { spec: { devices } } })).toBe(201);
  const claim = await podWithClaim("web");
  expect(claim).toMatch(/^web-gpu-/);
  await allocate(claim, "web");
  expect(await send("PATCH", `${PODS}/web/status`, { status: { phase: "Succeeded" } })).toBe(200);
  await eventually("the claim is gone", async () => (await claims()).length === 0);
}, 60_000);

test("a claim that exists loses its devices with the last of its users, and stays", async () => {
  const devices = { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] };
  expect(await send("POST", CLAIMS, { metadata: { name: "shared" }, spec: { devices } })).toBe(201);
  const spec = {
    resourceClaims: [{ name: "gpu", resourceClaimName: "shared" }],
    containers: [{ name: "c", image: "i" }],
  };
  expect(await send("POST", PODS, { metadata: { name: "one" }, spec })).toBe(201);
  await allocate("shared", "one");
  expect(await send("DELETE", `${PODS}/one`)).toBe(200);
  await eventually("the claim is released", async () => (await claims())[0]?.status?.allocation === undefined);
  expect((await claims())[0]).toMatchObject({ metadata: { name: "shared" }, status: {} });
  expect((await claims())[0]?.status?.reservedFor).toBeUndefined();
}, 60_000);

test("a pod leaves when its device gets a taint which its claim does not tolerate, and not by a rule", async () => {
  const claim = await podWithClaim("tainted");
  await allocate(claim, "tainted");
  const binding = { metadata: { name: "tainted" }, target: { kind: "Node", name: "n" } };
  expect(await send("POST", `${PODS}/tainted/binding`, binding)).toBe(201);
  // The gates of rules and of pool status requests are off.
  const RULES = "/apis/resource.k8s.io/v1beta2/devicetaintrules";
  const REQUESTS = "/apis/resource.k8s.io/v1alpha3/resourcepoolstatusrequests";
  const rule = { deviceSelector: { pool: "q" }, taint: { key: "broken", effect: "NoExecute" } };
  const kept = await podWithClaim("kept");
  await allocate(kept, "kept", "q");
  expect(await send("POST", `${PODS}/kept/binding`, { ...binding, metadata: { name: "kept" } })).toBe(201);
  expect(await send("POST", RULES, { metadata: { name: "off" }, spec: rule })).toBe(201);
  expect(await send("POST", REQUESTS, { metadata: { name: "off" }, spec: { driver: "gpu.example.com" } })).toBe(201);
  const devices = [{ name: "d", taints: [{ key: "broken", effect: "NoExecute" }] }];
  const pool = { name: "p", generation: 1, resourceSliceCount: 1 };
  const slice = { metadata: { name: "s" }, spec: { driver: "gpu.example.com", pool, allNodes: true, devices } };
  expect(await send("POST", "/apis/resource.k8s.io/v1/resourceslices", slice)).toBe(201);
  await eventually("the pod is deleted", async () => {
    const { metadata } = (await server.admin.get(`${PODS}/tainted`)).object() as unknown as {
      readonly metadata?: { readonly deletionTimestamp?: string };
    };
    return metadata?.deletionTimestamp !== undefined;
  });
  expect(await podOf("kept")).not.toHaveProperty("metadata.deletionTimestamp");
  expect((await server.admin.get(`${RULES}/off`)).object()).not.toHaveProperty("status.conditions");
  expect((await server.admin.get(`${REQUESTS}/off`)).object()).not.toHaveProperty("status");
  expect(await podOf("tainted")).toMatchObject({
    status: { conditions: expect.arrayContaining([expect.objectContaining({ type: "DisruptionTarget" })]) },
  });
}, 60_000);

test("a quota for an extended resource counts pods and claims, and a claim of a pod once", async () => {
  const SPACE = "/api/v1/namespaces/devices";
  const CLASSES = "/apis/resource.k8s.io/v1/deviceclasses";
  const IN_SPACE = "/apis/resource.k8s.io/v1/namespaces/devices/resourceclaims";
  const [EXPLICIT, IMPLICIT] = ["requests.example.com/gpu", "requests.deviceclass.resource.kubernetes.io/gpu"];
  expect(await send("POST", "/api/v1/namespaces", { metadata: { name: "devices" } })).toBe(201);
  const spec = { extendedResourceName: "example.com/gpu" };
  expect(await send("POST", CLASSES, { metadata: { name: "gpu" }, spec })).toBe(201);
  const quota = (hard: object) => ({ metadata: { name: "q" }, spec: { hard } });
  expect(await send("POST", `${SPACE}/resourcequotas`, quota({ [EXPLICIT]: "4", [IMPLICIT]: "9" }))).toBe(201);
  const used = async () =>
    ((await server.admin.get(`${SPACE}/resourcequotas/q`)).object() as { status?: { used?: object } }).status?.used;
  const usedIs = (explicit: string, implicit: string) =>
    eventually("the usage is known", async () => {
      return JSON.stringify(await used()) === JSON.stringify({ [IMPLICIT]: implicit, [EXPLICIT]: explicit });
    });
  await usedIs("0", "0");
  const claim = (name: string, count: number, metadata: object = {}) => ({
    metadata: { name, ...metadata },
    spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu", count } }] } },
  });
  expect(await send("POST", IN_SPACE, claim("two", 2))).toBe(201);
  await usedIs("2", "2");
  const pod = (name: string, gpus: string) => {
    const limits = { "example.com/gpu": gpus };
    return { metadata: { name }, spec: { containers: [{ name: "c", image: "i", resources: { limits } }] } };
  };
  expect(await send("POST", `${SPACE}/pods`, pod("many", "3"))).toBe(403);
  expect(await send("POST", `${SPACE}/pods`, pod("fits", "1"))).toBe(201);
  await usedIs("3", "2");
  const { uid } = ((await server.admin.get(`${SPACE}/pods/fits`)).object() as unknown as Pod).metadata;
  const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: "fits", uid, controller: true }];
  const annotations = { "resource.kubernetes.io/extended-resource-claim": "true" };
  expect(await send("POST", IN_SPACE, claim("scheduled", 1, { ownerReferences, annotations }))).toBe(201);
  await usedIs("3", "3");
  expect(await send("POST", IN_SPACE, claim("two-more", 2))).toBe(403);
  // The controller calculates the usage of a new limit from all objects.
  const larger = { spec: { hard: { [EXPLICIT]: "5", [IMPLICIT]: "9" } } };
  expect(await send("PATCH", `${SPACE}/resourcequotas/q`, larger)).toBe(200);
  await eventually("the limit is in force", async () => (await send("POST", IN_SPACE, claim("two-more", 2))) === 201);
  await usedIs("5", "5");
  expect(await send("DELETE", `${IN_SPACE}/two`)).toBe(200);
  await usedIs("3", "3");
}, 60_000);
