// PersistentVolumeClaims and PersistentVolumes are deleted when they are no longer used, by a separate controller
// manager process, with kubectl.
import { beforeAll, expect, test } from "@jest/globals";
import type { ApiServer } from "./harness/api-server";
import { ControllerManagers, leads } from "./harness/controller-manager";
import { eventually, sleep } from "./harness/eventually";
import { type Kubectl, startWithKubectl } from "./harness/kubectl";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
const VOLUMES = "/api/v1/persistentvolumes";
const PODS = "/api/v1/namespaces/default/pods";
/** Time for a faulty controller to delete something. */
const HARM_MS = 700;
let server: ApiServer;
let kubectl: Kubectl;

beforeAll(async () => {
  ({ server, client: kubectl } = await startWithKubectl(workplace));
  const manager = new ControllerManagers(workplace, server, "kubernetes").start("manager");
  await eventually("it leads", async () => leads(manager));
}, 60_000);

async function send(method: string, path: string, body?: object, type = "application/json") {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return server.admin.send(path, { method, headers: { "content-type": type }, ...sent });
}

async function create(path: string, object: object): Promise<void> {
  const answer = await send("POST", path, object);
  expect([answer.status, answer.status === 201 ? "" : answer.object()["message"]]).toEqual([201, ""]);
}

const metaOf = async (path: string) => {
  const answer = await server.admin.get(path);
  return answer.status === 404
    ? undefined
    : (answer.object().metadata as { readonly finalizers?: readonly string[]; readonly deletionTimestamp?: string });
};
const gone = (path: string) => eventually(`${path} is gone`, async () => (await metaOf(path)) === undefined);

async function stays(path: string): Promise<void> {
  await sleep(HARM_MS);
  expect(await metaOf(path)).toMatchObject({ deletionTimestamp: expect.any(String) });
}

const claim = (name: string) => ({
  metadata: { name },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
});
const volume = (name: string) => ({
  metadata: { name },
  spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: `/data/${name}` } },
});
const pod = (name: string, claimName: string, nodeName?: string) => ({
  metadata: { name },
  spec: {
    ...(nodeName && { nodeName }),
    containers: [{ name: "c", image: "i" }],
    volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
  },
});
const status = (of: object) => ["PATCH", { status: of }, "application/merge-patch+json"] as const;

test("an unused claim and volume are deleted at once", async () => {
  await create(CLAIMS, claim("free"));
  await create(VOLUMES, volume("free"));
  expect(await metaOf(`${CLAIMS}/free`)).toMatchObject({ finalizers: ["kubernetes.io/pvc-protection"] });
  expect(await metaOf(`${VOLUMES}/free`)).toMatchObject({ finalizers: ["kubernetes.io/pv-protection"] });
  expect(await kubectl.print(["delete", "pvc/free", "pv/free"])).toBe(
    'persistentvolumeclaim "free" deleted\npersistentvolume "free" deleted\n',
  );
  expect([await metaOf(`${CLAIMS}/free`), await metaOf(`${VOLUMES}/free`)]).toEqual([undefined, undefined]);
});

test("a claim stays while a pod uses it, and no pod that has no node, or has ended, keeps it", async () => {
  await create(CLAIMS, claim("used"));
  await create(PODS, pod("waits", "used"));
  await create(PODS, pod("ended", "used", "n1"));
  await create(PODS, pod("runs", "used", "n1"));
  const [method, ended, type] = status({ phase: "Succeeded" });
  expect((await send(method, `${PODS}/ended/status`, ended, type)).status).toBe(200);
  await kubectl.print(["delete", "pvc/used", "--wait=false"]);
  await stays(`${CLAIMS}/used`);
  expect(await kubectl.print(["get", "pvc", "used", "-o", "name"])).toBe("persistentvolumeclaim/used\n");
  await kubectl.print(["delete", "pod", "runs", "--force", "--grace-period=0"]);
  await gone(`${CLAIMS}/used`);
});

test("a claim goes when the pod that uses it ends", async () => {
  await create(CLAIMS, claim("until"));
  await create(PODS, pod("until", "until", "n1"));
  await kubectl.print(["delete", "pvc/until", "--wait=false"]);
  await stays(`${CLAIMS}/until`);
  const [method, failed, type] = status({ phase: "Failed" });
  expect((await send(method, `${PODS}/until/status`, failed, type)).status).toBe(200);
  await gone(`${CLAIMS}/until`);
});

test("a volume stays while it is bound", async () => {
  await create(VOLUMES, volume("bound"));
  const write = async (phase: string) => {
    const [method, of, type] = status({ phase });
    expect((await send(method, `${VOLUMES}/bound/status`, of, type)).status).toBe(200);
  };
  await write("Bound");
  await kubectl.print(["delete", "pv/bound", "--wait=false"]);
  await stays(`${VOLUMES}/bound`);
  await write("Released");
  await gone(`${VOLUMES}/bound`);
});

test("a removed protection finalizer is restored, and other finalizers stay", async () => {
  await create(CLAIMS, claim("bare"));
  const finalizers = (names: readonly string[]) =>
    send("PATCH", `${CLAIMS}/bare`, { metadata: { finalizers: names } }, "application/merge-patch+json");
  expect((await finalizers(["example.com/hold"])).status).toBe(200);
  await eventually("it is protected again", async () => (await metaOf(`${CLAIMS}/bare`))?.finalizers?.length === 2);
  await kubectl.print(["delete", "pvc/bare", "--wait=false"]);
  await eventually(
    "the controller removes its finalizer",
    async () => (await metaOf(`${CLAIMS}/bare`))?.finalizers?.length === 1,
  );
  expect(await metaOf(`${CLAIMS}/bare`)).toMatchObject({ finalizers: ["example.com/hold"] });
  expect((await finalizers([])).status).toBe(200);
  await gone(`${CLAIMS}/bare`);
});

test("a namespace goes with its claims", async () => {
  await create("/api/v1/namespaces", { metadata: { name: "shop" } });
  for (const name of ["a", "b", "c"]) await create("/api/v1/namespaces/shop/persistentvolumeclaims", claim(name));
  await kubectl.print(["delete", "ns/shop"]);
  expect(await metaOf("/api/v1/namespaces/shop")).toBeUndefined();
});
