// The identity Leases of API servers: written at the start, renewed, and deleted once the server is gone.
import { expect, test } from "@jest/globals";
import { openStore, type Store, type WatchHandlers, type WatchRequest } from "@orch/store";
import { type StartOptions, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const LEASES = "/apis/coordination.orch.io/v1/namespaces/orch-system/leases";
const LABEL = "apiserver.orch.io/identity";
/** Delay of the watch of a server that stops. It gives up after a second. */
const LAG_MS = 300;

interface Lease {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly holderIdentity: string; readonly leaseDurationSeconds: number };
}

test("a server keeps its lease and deletes those of servers that are gone", async () => {
  const store = await openStore({ kind: "memory" });
  const lease = (name: string, renewTime: string, label = "orch-apiserver") => ({
    metadata: { name, labels: { [LABEL]: label } },
    spec: { holderIdentity: name, leaseDurationSeconds: 3600, renewTime },
  });
  const runs: { readonly names: readonly string[]; readonly own: Lease["spec"] | undefined; readonly hook: number }[] =
    [];
  const options: readonly NonNullable<StartOptions["flags"]>[] = [
    { "emulated-release": "1.26" },
    { "emulated-release": "1.36", "identity-lease-duration-seconds": 600 },
    { "emulated-release": "1.25" },
    { "emulated-release": "1.36", "feature-gates": { APIServerIdentity: false } },
  ];
  for (const flags of options) {
    const server = await startServer({ store, flags });
    const client = new ApiClient(server, server.admin);
    const { items } = (await client.get(LEASES)).json as unknown as { readonly items: readonly Lease[] };
    runs.push({
      names: items.map(({ metadata }) => metadata.name.replace(/^apiserver-[0-9a-f]{26}$/, "own")).sort(),
      own: items.find(({ spec }) => spec.holderIdentity.startsWith("apiserver-"))?.spec,
      hook: (await client.get("/readyz/poststarthook/start-orch-apiserver-identity-lease-controller")).code,
    });
    if (flags["emulated-release"] === "1.26") {
      await client.post(LEASES, lease("gone", "2020-01-01T00:00:00.000000Z"));
      await client.post(LEASES, lease("alive", "2999-01-01T00:00:00.000000Z"));
      await client.post(LEASES, lease("other", "2020-01-01T00:00:00.000000Z", "another-program"));
    }
    client.close();
    await server.stop();
  }
  const [first, second, third, fourth] = runs;
  expect([first?.names, first?.own?.leaseDurationSeconds, first?.hook]).toEqual([["own"], 3600, 200]);
  // A server of 1.26 leaves its lease behind, and the next server with its name takes it over.
  expect([second?.names, second?.own?.leaseDurationSeconds]).toEqual([["alive", "other", "own"], 600]);
  expect(second?.own?.holderIdentity).not.toBe(first?.own?.holderIdentity);
  // A server of 1.36 deletes its lease when it stops. Releases before 1.26, and servers without the gate, have none.
  for (const without of [third, fourth]) expect(without).toMatchObject({ names: ["alive", "other"], hook: 404 });
  await store.close();
}, 30_000);

test("a server that stops deletes its lease also when it does not know of the last change to it", async () => {
  const store = await openStore({ kind: "memory" });
  const held: (() => void)[] = [];
  let isHeld = false;
  const lagging: Store = new Proxy(store, {
    get(target, name) {
      if (name === "watch") {
        return (request: WatchRequest, handlers: WatchHandlers) =>
          target.watch(request, {
            ...handlers,
            batch: (batch) => (isHeld ? void held.push(() => handlers.batch(batch)) : handlers.batch(batch)),
          });
      }
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  const flags = { "emulated-release": "1.36" };
  const stopping = await startServer({ store: lagging, flags });
  const other = await startServer({ store, flags: { ...flags, "feature-gates": { APIServerIdentity: false } } });
  const client = new ApiClient(other, other.admin);
  const names = async () =>
    ((await client.get(LEASES)).json as unknown as { readonly items: readonly Lease[] }).items.map(
      ({ metadata }) => metadata.name,
    );
  const [own = ""] = await names();
  isHeld = true;
  const patched = await client.ask("PATCH", `${LEASES}/${own}`, {
    body: JSON.stringify({ metadata: { labels: { touched: "yes" } } }),
    headers: { "content-type": "application/merge-patch+json" },
  });
  expect(patched.code).toBe(200);
  const stopped = stopping.stop();
  setTimeout(() => {
    isHeld = false;
    for (const deliver of held.splice(0)) deliver();
  }, LAG_MS);
  await stopped;
  expect(await names()).toEqual([]);
  client.close();
  await other.stop();
  await store.close();
}, 30_000);
