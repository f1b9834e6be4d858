import { expect, test } from "@jest/globals";
import { forbidden, notFound } from "@orch/machinery";
import type { eventsV1, JsonObject } from "@orch/schema";
import { ManualClock, settled } from "@orch/testing";
import { type EventAccess, EventRecorder, type RecordedEvent } from "./event-recorder";

const EVENTS = { group: "events", resource: "events" };
const MINUTE = 60_000;

/** A server that stores the events of all namespaces. */
class EventServer {
  readonly events = new Map<string, eventsV1.Event>();
  readonly requests: string[] = [];
  fails: (() => Error) | undefined;

  readonly access = (namespace: string): EventAccess => ({
    create: async (event) => {
      this.ask(`create ${namespace}/${event.metadata.name}`);
      this.events.set(`${namespace}/${event.metadata.name}`, event);
      return event;
    },
    patch: async (name, type, patch) => {
      this.ask(`patch ${namespace}/${name}`);
      const event = this.events.get(`${namespace}/${name}`);
      expect(type).toBe("merge");
      if (event === undefined) throw notFound(EVENTS, name);
      const patched = { ...event, ...(patch as Partial<eventsV1.Event>) };
      this.events.set(`${namespace}/${name}`, patched);
      return patched;
    },
  });

  get all(): readonly eventsV1.Event[] {
    return [...this.events.values()];
  }

  private ask(request: string): void {
    this.requests.push(request.split(" ")[0] ?? "");
    if (this.fails !== undefined) throw this.fails();
  }
}

function recording(server = new EventServer(), clock = new ManualClock()) {
  const recorder = new EventRecorder({
    controller: "example.com/backup",
    instance: "backup-1",
    events: server.access,
    clock,
    chance: () => 0.5,
  });
  return { server, clock, recorder };
}

const failed: RecordedEvent = {
  regarding: { kind: "ConfigMap", apiVersion: "v1", namespace: "shop", name: "prices", uid: "u1" },
  type: "Warning",
  reason: "BackupFailed",
  action: "Backup",
  note: "the disk is full",
};

test("an event stands beside its object and says who tells what", async () => {
  const { server, recorder } = recording();
  recorder.record(failed);
  await settled();
  expect(server.all).toEqual([
    {
      metadata: { name: expect.stringMatching(/^prices\.[0-9a-f]{16}$/), namespace: "shop" },
      eventTime: "2030-01-01T00:00:00.000000Z",
      reportingController: "example.com/backup",
      reportingInstance: "backup-1",
      ...failed,
    },
  ]);
});

test("events of objects without a namespace are in the namespace default", async () => {
  const { server, recorder } = recording();
  recorder.record({ ...failed, regarding: { kind: "Node", name: "n1" } });
  await settled();
  expect(server.all[0]?.metadata.namespace).toBe("default");
});

test("the same again is counted: told at the second time, every half hour, and when it has become quiet", async () => {
  const { server, clock, recorder } = recording();
  const counts: unknown[] = [];
  for (let minute = 0; minute <= 35; minute += 5) {
    recorder.record({ ...failed, note: `at minute ${minute}` });
    await clock.pass(5 * MINUTE);
    counts.push(server.all[0]?.series?.count);
  }
  expect(counts).toEqual([undefined, 2, 2, 2, 2, 2, 2, 8]);
  recorder.record(failed);
  await clock.pass(15 * MINUTE);
  expect(server.all).toMatchObject([{ series: { count: 9, lastObservedTime: "2030-01-01T00:40:00.000000Z" } }]);
  recorder.record(failed);
  await settled();
  expect(server.all).toHaveLength(2);
  expect(clock.waiting).toBe(1);
});

test("another reason, action or object is another event", async () => {
  const { server, recorder } = recording();
  const others = [{ reason: "Other" }, { action: "Other" }, { regarding: { ...failed.regarding, uid: "u2" } }];
  for (const other of [{}, ...others]) recorder.record({ ...failed, ...other });
  await settled();
  expect(new Set(server.events.keys()).size).toBe(4);
});

test("a series whose event is gone is told anew", async () => {
  const { server, recorder } = recording();
  recorder.record(failed);
  await settled();
  server.events.clear();
  recorder.record(failed);
  await settled();
  expect(server.all).toMatchObject([{ series: { count: 2 } }]);
});

test("a rejected event is not retried; an unanswered one is, a bounded number of times", async () => {
  const { server, clock, recorder } = recording();
  server.fails = () => forbidden(EVENTS, "e", "not now");
  recorder.record(failed);
  await clock.pass(5 * MINUTE);
  expect(server.requests).toEqual(["create"]);

  server.fails = () => new Error("the server is away");
  recorder.record({ ...failed, reason: "Other" });
  await clock.pass(4 * MINUTE);
  expect(server.requests).toHaveLength(1 + 12);
  server.fails = undefined;
  recorder.record({ ...failed, reason: "Third" });
  await settled();
  expect(server.all.map(({ reason }) => reason)).toEqual(["Third"]);
});

test("closing sends what waits, but does not wait for a server that is away", async () => {
  const { server, clock, recorder } = recording();
  for (let times = 0; times < 3; times += 1) recorder.record(failed);
  await recorder.close();
  expect(server.all[0]?.series?.count).toBe(3);
  recorder.record({ ...failed, reason: "Late" });
  await settled();
  expect([server.all.length, clock.waiting]).toEqual([1, 0]);

  const other = recording(server, clock);
  server.fails = () => new Error("the server is away");
  other.recorder.record(failed);
  let closed = false;
  const closing = other.recorder.close(1_000).then(() => {
    closed = true;
  });
  await clock.pass(999);
  expect(closed).toBe(false);
  await clock.pass(1);
  await closing;
  await settled();
  expect(clock.waiting).toBe(0);
});

test("a note that is too long is cut between characters", async () => {
  const { server, recorder } = recording();
  recorder.record({ ...failed, note: `${"a".repeat(1023)}€` });
  await settled();
  expect((server.all[0] as unknown as JsonObject)["note"]).toBe("a".repeat(1023));
});
