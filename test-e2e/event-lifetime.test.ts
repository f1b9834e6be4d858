// Events expire after their last change, and many of them share one store lease.
import { beforeAll, expect, test } from "@jest/globals";
import { Etcd3 } from "etcd3";
import { type ApiServer, startReplicas } from "./harness/api-server";
import { expectStatus, freshNamespace } from "./harness/config-maps";
import { startEtcd } from "./harness/etcd";
import { eventually } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";

const LIFETIME_MS = 3_000;
/** Maximum delay of an expiry: the sharing interval of leases plus the store's own interval. */
const DELAY_MS = 10_000;
const CORE = "/api/v1/namespaces/short/events";
const EVENTS = "/apis/events.orch.io/v1/namespaces/short/events";

const workplace = useWorkplace();
let replicas: readonly [ApiServer, ApiServer];
let endpoints: string;

beforeAll(async () => {
  ({ endpoints } = await startEtcd(workplace));
  replicas = await startReplicas(workplace, endpoints, [`--event-ttl=${LIFETIME_MS}ms`]);
  await freshNamespace(replicas[0].admin, "short");
}, 60_000);

const involvedObject = { kind: "Pod", namespace: "short", name: "web" };
const coreEvent = (name: string) => ({ metadata: { name }, involvedObject, reason: "Pulled", type: "Normal" });
const newEvent = (name: string) => ({
  metadata: { name },
  regarding: involvedObject,
  eventTime: "2024-05-06T07:08:09.000123Z",
  reportingController: "example.com/agent",
  reportingInstance: "agent-1",
  action: "Pulling",
  reason: "Pulled",
  type: "Normal",
});

async function leasesInUse(): Promise<ReadonlySet<string>> {
  const etcd = new Etcd3({ hosts: endpoints.split(",") });
  try {
    const { kvs } = await etcd.getAll().prefix("/registry/core/events/short/").exec();
    return new Set(kvs.map(({ lease }) => lease));
  } finally {
    etcd.close();
  }
}

test("events of both groups end by themselves, on every replica; a change prolongs them", async () => {
  const [first, second] = replicas;
  for (let index = 0; index < 50; index += 1) {
    await expectStatus(201, first.admin.post(CORE, coreEvent(`core-${index}`)));
  }
  await expectStatus(201, second.admin.post(EVENTS, newEvent("new")));
  await expectStatus(201, first.admin.post(CORE, coreEvent("busy")));
  const leases = await leasesInUse();
  expect(leases).not.toContain("0");
  // Each replica has its own lease; a slow machine may need one more.
  expect(leases.size).toBeLessThan(10);

  const names = async () => {
    const { items } = await expectStatus(200, second.admin.get(EVENTS));
    return items?.map(({ metadata }) => metadata.name) ?? [];
  };
  let count = 1;
  const series = async () => {
    count += 1;
    const body = JSON.stringify({ count });
    const headers = { "content-type": "application/merge-patch+json" };
    await expectStatus(200, first.admin.send(`${CORE}/busy`, { method: "PATCH", body, headers }));
    return (await names()).join() === "busy";
  };
  await eventually("only the event that goes on is left", series, { timeoutMs: LIFETIME_MS + DELAY_MS, pauseMs: 500 });
  const gone = async () => (await names()).length === 0;
  await eventually("that one is gone, too", gone, { timeoutMs: LIFETIME_MS + DELAY_MS, pauseMs: 500 });
}, 60_000);
