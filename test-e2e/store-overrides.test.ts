// One resource in a separate etcd: `--etcd-servers-overrides`.
import { beforeAll, expect, test } from "@jest/globals";
import { Etcd3 } from "etcd3";
import { type ApiServer, startReplicas } from "./harness/api-server";
import { expectStatus, freshNamespace } from "./harness/config-maps";
import { type EtcdCluster, startEtcd } from "./harness/etcd";
import { eventually } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";

const EVENTS = "/api/v1/namespaces/apart/events";
const NEW_EVENTS = "/apis/events.orch.io/v1/namespaces/apart/events";
const MAPS = "/api/v1/namespaces/apart/configmaps";

const workplace = useWorkplace();
let main: EtcdCluster;
let forEvents: EtcdCluster;
let replicas: readonly [ApiServer, ApiServer];

beforeAll(async () => {
  [main, forEvents] = await Promise.all([startEtcd(workplace), startEtcd(workplace)]);
  const flags = [`--etcd-servers-overrides=/events#${forEvents.endpoints}`];
  replicas = await startReplicas(workplace, main.endpoints, flags);
  await freshNamespace(replicas[0].admin, "apart");
}, 60_000);

const event = (name: string, message = "") => ({
  metadata: { name },
  involvedObject: { kind: "Pod", namespace: "apart", name: "web" },
  reason: "Pulled",
  type: "Normal",
  message,
});

async function keysIn({ endpoints }: EtcdCluster, prefix: string): Promise<readonly string[]> {
  const etcd = new Etcd3({ hosts: endpoints.split(",") });
  try {
    return await etcd.getAll().prefix(prefix).keys();
  } finally {
    etcd.close();
  }
}

test("objects of the resource are in its own etcd alone, and all others in the main one", async () => {
  const [{ admin }] = replicas;
  await expectStatus(201, admin.post(EVENTS, event("one")));
  await expectStatus(201, admin.post(MAPS, { metadata: { name: "one" } }));
  expect(await keysIn(forEvents, "/registry/core/events/apart/")).toHaveLength(1);
  expect(await keysIn(main, "/registry/core/events/")).toEqual([]);
  expect(await keysIn(main, "/registry/core/configmaps/apart/")).toHaveLength(1);
  expect(await keysIn(forEvents, "/registry/core/configmaps/")).toEqual([]);
});

test("each replica reads what another wrote, in both API groups, and a watch goes on from a list", async () => {
  const [first, second] = replicas;
  await expectStatus(201, first.admin.post(EVENTS, event("two")));
  const listed = JSON.parse((await second.admin.get(NEW_EVENTS)).body);
  expect(listed.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toContain("two");
  const watch = await second.admin.watch(`${EVENTS}?watch=1&resourceVersion=${listed.metadata.resourceVersion}`);
  await expectStatus(201, first.admin.post(EVENTS, event("three")));
  expect((await watch.next())?.object.metadata.name).toBe("three");
  watch.close();
});

test("a large object is written by a thread into the store of its resource", async () => {
  const [{ admin }] = replicas;
  const large = { ...event("large", "x".repeat(1000)), metadata: { name: "large", annotations: annotations(5_000) } };
  await expectStatus(201, admin.post(EVENTS, large));
  expect(await keysIn(forEvents, "/registry/core/events/apart/large")).toHaveLength(1);
});

test("an event in a namespace that is not there is refused, though another store holds the namespaces", async () => {
  const lost = { ...event("lost"), involvedObject: { kind: "Pod", namespace: "nowhere", name: "web" } };
  await expectStatus(404, replicas[0].admin.post(EVENTS.replace("apart", "nowhere"), lost));
});

test("a server is not ready while one of its stores is away, and serves the other resources", async () => {
  const [{ admin }] = replicas;
  await forEvents.members[0]?.kill();
  await eventually("the server is not ready", async () => (await admin.get("/readyz")).status === 500);
  await expectStatus(201, admin.post(MAPS, { metadata: { name: "meanwhile" } }));
  forEvents.members[0]?.start();
  await eventually("the server is ready again", async () => (await admin.get("/readyz")).status === 200);
  await eventually("events are written again", async () => (await admin.post(EVENTS, event("four"))).status === 201);
}, 120_000);

function annotations(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`example.com/a${index}`, "value"]));
}
