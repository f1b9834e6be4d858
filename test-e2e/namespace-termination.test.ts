// Deletion of namespaces with their content, by two controller managers with leader election.
import { expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { expectStatus } from "./harness/config-maps";
import { ControllerManagers, leads } from "./harness/controller-manager";
import { eventually } from "./harness/eventually";
import { type Program, useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const OBJECTS = 2_000;
const TAKEOVER_MS = 20_000;

async function send(server: ApiServer, method: string, path: string, body?: object): Promise<number> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const headers = { "content-type": "application/json" };
  return (await server.admin.send(path, { method, headers, ...sent })).status;
}

async function fill(server: ApiServer, namespace: string, objects: number): Promise<void> {
  expect(await send(server, "POST", "/api/v1/namespaces", { metadata: { name: namespace } })).toBe(201);
  const numbers = Array.from({ length: objects }, (_, index) => index).values();
  const writer = async () => {
    for (const index of numbers) {
      const object = { metadata: { name: `map-${index}`, labels: { app: "load" } }, data: { key: "x".repeat(1000) } };
      const status = await send(server, "POST", `/api/v1/namespaces/${namespace}/configmaps`, object);
      if (status !== 201) throw new Error(`create answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: 16 }, writer));
}

const isGone = async (server: ApiServer, namespace: string): Promise<boolean> =>
  (await send(server, "GET", `/api/v1/namespaces/${namespace}`)) === 404;

async function count(server: ApiServer, namespace: string): Promise<number> {
  const list = await server.admin.get(`/api/v1/namespaces/${namespace}/configmaps`);
  return list.object().items?.length ?? 0;
}

async function notesOf(server: ApiServer, reason: string): Promise<readonly string[]> {
  const path = `/apis/events.orch.io/v1/namespaces/orch-system/events?fieldSelector=reason%3D${reason}`;
  const { items = [] } = (await server.admin.get(path)).object();
  return items.map((event) => String(event["note"]));
}

/** Holder of the lease; "" or undefined after it was released. */
async function holderOf(server: ApiServer): Promise<unknown> {
  const path = "/apis/coordination.orch.io/v1/namespaces/orch-system/leases/orch-controller-manager";
  const { spec } = await expectStatus(200, server.admin.get(path));
  return (spec as { readonly holderIdentity?: string } | undefined)?.holderIdentity;
}

async function leaderOf(managers: readonly Program[]): Promise<Program> {
  return eventually("one leads", async () => managers.find((manager) => manager.running && leads(manager)), {
    timeoutMs: TAKEOVER_MS,
  });
}

test("a namespace goes with its content, though its emptier is killed in the middle; a leader that is stopped hands over at once", async () => {
  const server = await startApiServer(workplace, { store: { kind: "memory" } });
  const processes = new ControllerManagers(workplace, server);
  const first = processes.start("manager-1");
  await leaderOf([first]);
  const second = processes.start("manager-2");
  await fill(server, "crowded", OBJECTS);

  expect(await send(server, "DELETE", "/api/v1/namespaces/crowded")).toBe(200);
  await eventually("it is being emptied", async () => (await count(server, "crowded")) < OBJECTS, { pauseMs: 1 });
  await first.kill();
  expect(leads(second)).toBe(false);

  await eventually("it is gone", () => isGone(server, "crowded"), { timeoutMs: 2 * TAKEOVER_MS });
  expect(leads(second)).toBe(true);
  expect(await count(server, "crowded")).toBe(0);

  const third = processes.start("manager-3");
  await eventually("the third has looked for the lease", async () => third.logTail.includes("observed a new leader"));
  const holder = await holderOf(server);
  expect(await second.stop()).toBe(0);
  expect(await holderOf(server)).not.toBe(holder);
  await leaderOf([third]);
  const notes = await eventually("people are told who led", async () => {
    const found = await notesOf(server, "LeaderElection");
    return found.length === 4 && found;
  });
  // The first manager was killed before it could write another event.
  expect(notes.map((note) => note.split(" ").slice(1).join(" ")).sort()).toEqual([
    "became leader",
    "became leader",
    "became leader",
    "stopped leading",
  ]);
}, 120_000);

test("a namespace waits for the finalizers of its content, and says so", async () => {
  const server = await startApiServer(workplace, { name: "apiserver-finalizers", store: { kind: "memory" } });
  new ControllerManagers(workplace, server).start("manager-finalizers");
  expect(await send(server, "POST", "/api/v1/namespaces", { metadata: { name: "held" } })).toBe(201);
  const maps = "/api/v1/namespaces/held/configmaps";
  const object = { metadata: { name: "kept", finalizers: ["example.com/hold"] } };
  expect(await send(server, "POST", maps, object)).toBe(201);
  await send(server, "DELETE", "/api/v1/namespaces/held");

  const conditions = await eventually("the conditions are written", async () => {
    const { status } = (await server.admin.get("/api/v1/namespaces/held")).object() as {
      status?: { conditions?: { type: string; status: string; message: string }[] };
    };
    return status?.conditions;
  });
  const byType = Object.fromEntries(conditions.map(({ type, status, message }) => [type, `${status} ${message}`]));
  expect(byType).toEqual({
    NamespaceDeletionDiscoveryFailure: "False All resources successfully discovered",
    NamespaceDeletionGroupVersionParsingFailure: "False All legacy kube types successfully parsed",
    NamespaceDeletionContentFailure: "False All content successfully deleted, may be waiting on finalization",
    NamespaceContentRemaining: "True Some resources are remaining: configmaps. has 1 resource instances",
    NamespaceFinalizersRemaining:
      "True Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
  });

  const kept = (await server.admin.get(`${maps}/kept`)).object();
  expect(await send(server, "PUT", `${maps}/kept`, { ...kept, metadata: { ...kept.metadata, finalizers: [] } })).toBe(
    200,
  );
  await eventually("it is gone", () => isGone(server, "held"), { timeoutMs: 30_000 });
}, 60_000);

test.each([
  ["1.32", false],
  ["1.33", true],
])(
  "a namespace of %s deletes its pods before the rest: %s",
  async (release, podsFirst) => {
    const name = `ordered-${release}`;
    const flags = [`--emulated-release=${release}`];
    const server = await startApiServer(workplace, { name: `apiserver-${name}`, store: { kind: "memory" }, flags });
    new ControllerManagers(workplace, server).start(`manager-${name}`);
    expect(await send(server, "POST", "/api/v1/namespaces", { metadata: { name: "n" } })).toBe(201);
    const [pods, maps] = ["/api/v1/namespaces/n/pods", "/api/v1/namespaces/n/configmaps"];
    const account = { metadata: { name: "default" } };
    await send(server, "POST", "/api/v1/namespaces/n/serviceaccounts", account);
    const finalizers = ["example.com/hold"];
    const pod = { metadata: { name: "p", finalizers }, spec: { containers: [{ name: "c", image: "i" }] } };
    expect(await send(server, "POST", pods, pod)).toBe(201);
    expect(await send(server, "POST", maps, { metadata: { name: "m" } })).toBe(201);
    await send(server, "DELETE", "/api/v1/namespaces/n");

    const messages = await eventually("the conditions are written", async () => {
      const { status } = (await server.admin.get("/api/v1/namespaces/n")).object() as {
        status?: { conditions?: { type: string; status: string; message: string }[] };
      };
      return status?.conditions?.filter((condition) => condition.status === "True").map(({ message }) => message);
    });
    expect(messages).toEqual([
      "Some resources are remaining: pods. has 1 resource instances",
      "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
    ]);
    const map = await server.admin.get(`${maps}/m`);
    expect(map.status).toBe(podsFirst ? 200 : 404);
    expect(map.object().metadata ?? {}).not.toHaveProperty("deletionTimestamp");

    const kept = (await server.admin.get(`${pods}/p`)).object();
    await send(server, "PUT", `${pods}/p`, { ...kept, metadata: { ...kept.metadata, finalizers: [] } });
    await eventually("it is gone", () => isGone(server, "n"), { timeoutMs: 30_000 });
  },
  60_000,
);
