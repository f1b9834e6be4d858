// Addresses of services from ServiceCIDRs: replicas of two releases allocate from one etcd, a second ServiceCIDR gives
// more addresses, and the controller keeps a deleted one while services need it.
import { beforeAll, expect, test } from "@jest/globals";
import { Etcd3 } from "etcd3";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { expectStatus, freshNamespace, inParallel } from "./harness/config-maps";
import { ControllerManagers, leads } from "./harness/controller-manager";
import { Authority } from "./harness/credentials";
import { startEtcd } from "./harness/etcd";
import { eventually } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";

const SERVICES = 480;
const WRITERS = 16;
const PATH = "/api/v1/namespaces/many/services";
const CIDRS = "/apis/networking.k8s.io/v1/servicecidrs";
const ADDRESSES = "/apis/networking.k8s.io/v1/ipaddresses";
const FINALIZER = "networking.k8s.io/service-cidr-finalizer";

const workplace = useWorkplace();
let newer: ApiServer;
let older: ApiServer;
let endpoints: string;

beforeAll(async () => {
  ({ endpoints } = await startEtcd(workplace));
  const authority = new Authority(workplace);
  const start = (release: string) =>
    startApiServer(workplace, {
      name: `apiserver-${release}`,
      authority,
      store: { kind: "etcd", endpoints },
      // Hardly more addresses than requests, so that writers collide.
      flags: ["--vocabulary=kubernetes", `--emulated-release=${release}`, "--service-cluster-ip-range=10.20.0.0/23"],
    });
  older = await start("1.32");
  newer = await start("1.36");
  await freshNamespace(newer.admin, "many");
}, 120_000);

/** Allocations as another client of the store reads them. */
async function claims(): Promise<readonly string[]> {
  const etcd = new Etcd3({ hosts: endpoints.split(",") });
  const prefix = "/registry/ranges/serviceips/";
  try {
    return (await etcd.getAll().prefix(prefix).keys()).map((key) => key.slice(prefix.length)).sort();
  } finally {
    etcd.close();
  }
}

interface Named {
  readonly metadata: { readonly name: string };
}
const shown = async () => {
  const { items } = (await newer.admin.get(ADDRESSES)).object() as unknown as { readonly items: readonly Named[] };
  return items.map(({ metadata }) => metadata.name).sort();
};

async function create(by: ApiServer, name: string, spec: object = {}): Promise<string> {
  const body = { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
  const made = await expectStatus(201, by.admin.post(PATH, body));
  return (made["spec"] as { readonly clusterIP: string }).clusterIP;
}

test("replicas of releases 1.32 and 1.36 give no address twice, and none is kept after the end", async () => {
  const before = await claims();
  const by = (index: number) => (index % 2 === 0 ? newer : older);
  const addresses: string[] = [];
  await inParallel(SERVICES, WRITERS, async (index) => {
    addresses.push(await create(by(index), `s-${index}`));
  });
  expect(new Set(addresses).size).toBe(SERVICES);
  expect(await claims()).toEqual([...before, ...addresses].sort());
  await eventually("every address has its IPAddress", async () => (await shown()).length === SERVICES + before.length);
  await inParallel(SERVICES, WRITERS, async (index) => {
    await expectStatus(200, by(Math.floor(index / 2)).admin.delete(`${PATH}/s-${index}`));
  });
  expect(await claims()).toEqual(before);
  await eventually("no IPAddress is left", async () => (await shown()).length === before.length, { timeoutMs: 60_000 });
}, 180_000);

test("a second ServiceCIDR gives addresses at once, and stays until no service needs it", async () => {
  const manager = new ControllerManagers(workplace, newer, "kubernetes").start("manager", [
    "--controllers=service-cidr",
  ]);
  await eventually("it leads", async () => leads(manager));
  const body = { metadata: { name: "second" }, spec: { cidrs: ["10.21.0.0/24"] } };
  await expectStatus(201, newer.admin.post(CIDRS, body));
  expect(await create(newer, "kept", { clusterIP: "10.21.0.10" })).toBe("10.21.0.10");
  const second = async () => {
    const answer = await newer.admin.get(`${CIDRS}/second`);
    return answer.status === 404 ? "gone" : JSON.stringify(answer.object());
  };
  await eventually("it is ready and protected", async () => {
    const text = await second();
    return text.includes(FINALIZER) && text.includes("Kubernetes Service CIDR is ready");
  });
  await expectStatus(200, newer.admin.delete(`${CIDRS}/second`));
  await eventually("it says what it waits for", async () =>
    (await second()).includes("There are still IPAddresses referencing the ServiceCIDR"),
  );
  const refused = await newer.admin.post(PATH, {
    metadata: { name: "late" },
    spec: { clusterIP: "10.21.0.11", ports: [{ port: 80 }] },
  });
  expect(refused.status).toBe(422);
  await expectStatus(200, newer.admin.delete(`${PATH}/kept`));
  await eventually("it goes", async () => (await second()) === "gone", { timeoutMs: 60_000 });
}, 120_000);
