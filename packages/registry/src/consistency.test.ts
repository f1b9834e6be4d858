// Consistency test: two servers on one store, each of which may receive changes late, and clients that use both at
// random. Every answer and every watch is compared with what the store's own watch reports.
import { expect, test } from "@jest/globals";
import { StatusError } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { openStore, type Store } from "@orch/store";
import type { Registry } from "./contract/registry";
import type { ResourceStorage } from "./contract/resource-storage";
import { delivered, eventText, listing, startRegistry, V1, watching, writing } from "./testing/harness";
import { LaggingStore } from "./testing/lagging-store";
import { randomNumbers } from "./testing/random";
import { widget, widgets } from "./testing/widgets";

interface Server {
  readonly registry: Registry;
  readonly storage: ResourceStorage;
  readonly link: LaggingStore;
}

async function startServer(store: Store): Promise<Server> {
  const link = new LaggingStore(store);
  const { registry } = await startRegistry({ store: link });
  return { registry, storage: registry.resource(widgets), link };
}

/** The history of the objects as the store's watch reports it. */
class Truth {
  /** `ADDED a@5`, in the form in which a watch of everything must show it. */
  readonly events: string[] = [];
  private readonly states = new Map<string, { readonly revision: number; readonly exists: boolean }[]>();

  constructor(store: Store) {
    store.watch(
      { start: "/registry/", end: "/registry0", fromRevision: 1 },
      {
        batch: (batch) => {
          for (const event of batch.events) {
            const key = event.kind === "put" ? event.item.key : event.key;
            const name = key.slice(key.lastIndexOf("/") + 1);
            const isNew = event.kind === "put" && event.item.version === 1;
            const revision = event.kind === "put" ? event.item.modRevision : event.modRevision;
            this.events.push(
              `${event.kind === "delete" ? "DELETED" : isNew ? "ADDED" : "MODIFIED"} ${name}@${revision}`,
            );
            const states = this.states.get(name) ?? [{ revision: 0, exists: false }];
            states.push({ revision, exists: event.kind === "put" });
            this.states.set(name, states);
          }
        },
        ended: () => {},
      },
    );
  }

  /** Returns whether the object was in that state (at that version, or absent) at some time not before `since`. */
  couldBeSeen(name: string, version: number | undefined, since: number): boolean {
    const states = this.states.get(name) ?? [{ revision: 0, exists: false }];
    return states.some((state, n) => {
      const isIt = version === undefined ? !state.exists : state.exists && state.revision === version;
      const next = states[n + 1]?.revision ?? Number.POSITIVE_INFINITY;
      return isIt && next > since;
    });
  }
}

interface Read {
  readonly name: string;
  readonly version: number | undefined;
  /** Revision of the newest acknowledged write of the object when the read began. */
  readonly since: number;
}

class Clients {
  readonly reads: Read[] = [];
  readonly increments = new Map<string, number>();
  private readonly acknowledged = new Map<string, number>();

  constructor(
    private readonly servers: readonly Server[],
    private readonly random: () => number,
  ) {}

  async run(steps: number): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      const { storage } = this.pick(this.servers);
      const actions = [this.read, this.list, this.increment, this.increment, this.coming, this.going];
      await this.pick(actions).call(this, storage).catch(ignoreRefusals);
      if (this.random() < 0.1) await delivered();
    }
  }

  private async read(storage: ResourceStorage): Promise<void> {
    const name = this.pick([...COUNTERS, ...COMERS]);
    const since = this.acknowledged.get(name) ?? 0;
    const entry = await storage.get(place(name), { kind: "mostRecent" }).catch(absent);
    this.reads.push({ name, version: entry?.resourceVersion, since });
  }

  private async list(storage: ResourceStorage): Promise<void> {
    const since = new Map(this.acknowledged);
    const { entries } = await storage.list(listing());
    const seen = new Map(entries.map((entry) => [entry.name, entry.resourceVersion]));
    for (const name of [...COUNTERS, ...COMERS]) {
      this.reads.push({ name, version: seen.get(name), since: since.get(name) ?? 0 });
    }
  }

  private async increment(storage: ResourceStorage): Promise<void> {
    const name = this.pick(COUNTERS);
    const kind = this.random() < 0.5 ? "any" : "mostRecent";
    const object = (await storage.get(place(name), { kind })).object();
    (object["spec"] as JsonObject)["count"] = Number((object["spec"] as JsonObject)["count"]) + 1;
    const { entry } = await storage.update(object, place(name), writing());
    this.increments.set(name, (this.increments.get(name) ?? 0) + 1);
    this.acknowledge(name, entry.resourceVersion);
  }

  private async coming(storage: ResourceStorage): Promise<void> {
    const name = this.pick(COMERS);
    const { entry } = await storage.create(widget(name), { namespace: "default", name: "" }, writing());
    this.acknowledge(name, entry.resourceVersion);
  }

  private async going(storage: ResourceStorage): Promise<void> {
    const name = this.pick(COMERS);
    const { entry } = await storage.delete(place(name), {}, writing());
    this.acknowledge(name, entry.resourceVersion);
  }

  private acknowledge(name: string, revision: number): void {
    this.acknowledged.set(name, Math.max(revision, this.acknowledged.get(name) ?? 0));
  }

  private pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.random() * from.length)] as T;
  }
}

/**
 * Follows the objects like a client that is disconnected again and again, and resumes on any server from the last
 * version that it saw.
 */
async function followAround(servers: () => Server[], random: () => number, from: number, done: () => boolean) {
  const events: string[] = [];
  let version = from;
  for (let idle = 0; idle < 3; ) {
    const all = servers();
    const { storage } = all[Math.floor(random() * all.length)] as Server;
    const watcher = await storage.watch(
      watching({ start: { kind: "exact", resourceVersion: version }, bookmarks: true }),
    );
    const before = events.length;
    for (let looks = 0; looks < 4; looks += 1) {
      for (const event of watcher.take(1 + Math.floor(random() * 20))) {
        events.push(eventText(event));
        version = event.resourceVersion;
      }
      await delivered();
    }
    expect(watcher.ended).toBeUndefined();
    watcher.close();
    idle = done() && events.length === before ? idle + 1 : 0;
  }
  return events;
}

const COUNTERS = ["counter-0", "counter-1", "counter-2"];
const COMERS = ["comer-0", "comer-1", "comer-2", "comer-3"];
const place = (name: string) => ({ namespace: "default", name });

function absent(error: unknown): undefined {
  if (!(error instanceof StatusError) || error.reason !== "NotFound") throw error;
  return undefined;
}

function ignoreRefusals(error: unknown): void {
  if (!(error instanceof StatusError) || error.code >= 500) throw error;
}

test.each([1, 2, 3])("no stale read, no lost update, every change seen once in order (seed %i)", async (seed) => {
  const random = randomNumbers(seed);
  const store = await openStore({ kind: "memory" });
  const truth = new Truth(store);
  const servers = [await startServer(store), await startServer(store)];
  for (const name of COUNTERS) {
    const object = widget(name, { spec: { count: 0 } });
    await servers[0]?.storage.create(object, { namespace: "default", name: "" }, writing());
  }
  const clients = new Clients(servers, random);
  let working = true;
  const lag = (async () => {
    while (working) {
      for (const { link } of servers) random() < 0.5 ? link.hold() : link.letGo();
      await delivered();
    }
    for (const { link } of servers) link.letGo();
  })();
  const followers = [0, 1, 2].map(() =>
    followAround(
      () => servers,
      random,
      1,
      () => !working,
    ),
  );
  const started = (async () => {
    // Servers that start during the run know nothing of earlier changes.
    for (let n = 0; n < 3; n += 1) {
      for (let turns = 0; turns < 20; turns += 1) await delivered();
      servers.push(await startServer(store));
    }
  })();
  await Promise.all(Array.from({ length: 6 }, () => clients.run(150)));
  await started;
  working = false;
  await lag;
  for (const seen of await Promise.all(followers)) expect(seen).toEqual(truth.events);
  for (const name of COUNTERS) {
    const [one, other] = await Promise.all(
      servers.slice(0, 2).map(({ storage }) => storage.get(place(name), { kind: "mostRecent" })),
    );
    expect(one?.object()).toMatchObject({ spec: { count: clients.increments.get(name) ?? 0 } });
    expect(one?.json(V1)).toEqual(other?.json(V1));
  }
  expect(clients.reads.filter(({ name, version, since }) => !truth.couldBeSeen(name, version, since))).toEqual([]);
  expect(clients.reads.length).toBeGreaterThan(300);
  expect(truth.events.length).toBeGreaterThan(200);
  for (const { registry } of servers) await registry.close();
  await store.close();
});
