// Service addresses and ports are allocated once: three replicas, twenty writers, no locks but the store's.
import { beforeAll, expect, test } from "@jest/globals";
import { Etcd3 } from "etcd3";
import { type ApiServer, startApiServer, startReplicas } from "./harness/api-server";
import { expectStatus, freshNamespace, inParallel } from "./harness/config-maps";
import { startEtcd } from "./harness/etcd";
import { useWorkplace } from "./harness/processes";

const SERVICES = 5000;
/** Every n-th service requests a node port. */
const OPEN_EVERY = 5;
const WRITERS = 20;
/** Hardly more addresses and ports than requests, so that writers collide. */
const FLAGS = ["--service-cluster-ip-range=10.20.0.0/19", "--service-node-port-range=30000-31099"];

const workplace = useWorkplace();
let replicas: readonly ApiServer[];
let endpoints: string;

beforeAll(async () => {
  ({ endpoints } = await startEtcd(workplace));
  const two = await startReplicas(workplace, endpoints, FLAGS);
  const store = { kind: "etcd", endpoints } as const;
  const { authority } = two[0];
  replicas = [...two, await startApiServer(workplace, { name: "apiserver-3", authority, store, flags: FLAGS })];
}, 180_000);

/** Allocations as another client of the store reads them. */
async function claims(): Promise<readonly string[]> {
  const etcd = new Etcd3({ hosts: endpoints.split(",") });
  try {
    return await etcd.getAll().prefix("/registry/ranges/").keys();
  } finally {
    etcd.close();
  }
}

test("20 writers on three replicas give 5,000 services their addresses: none twice, none kept after the end", async () => {
  await freshNamespace((replicas[0] as ApiServer).admin, "many");
  const path = "/api/v1/namespaces/many/services";
  const before = await claims();
  const admin = (index: number) => (replicas[index % replicas.length] as ApiServer).admin;
  const addresses: string[] = [];
  const ports: number[] = [];
  await inParallel(SERVICES, WRITERS, async (index) => {
    const spec = { type: index % OPEN_EVERY === 0 ? "NodePort" : "ClusterIP", ports: [{ port: 80 }] };
    const made = await expectStatus(201, admin(index).post(path, { metadata: { name: `s-${index}` }, spec }));
    const given = made["spec"] as { clusterIP: string; ports: readonly { nodePort?: number }[] };
    addresses.push(given.clusterIP);
    ports.push(...given.ports.flatMap(({ nodePort }) => nodePort ?? []));
  });
  expect(new Set(addresses).size).toBe(SERVICES);
  expect(ports).toHaveLength(SERVICES / OPEN_EVERY);
  expect(new Set(ports).size).toBe(ports.length);
  const held = await claims();
  expect(held).toHaveLength(before.length + addresses.length + ports.length);
  expect(held).toEqual(expect.arrayContaining([...before, `/registry/ranges/serviceips/${addresses[0]}`]));
  await inParallel(SERVICES, WRITERS, async (index) => {
    await expectStatus(200, admin(index + 1).delete(`${path}/s-${index}`));
  });
  expect(await claims()).toEqual(before);
}, 240_000);
