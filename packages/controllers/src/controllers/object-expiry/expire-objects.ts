// Object expiry: deletes objects of any kind at the time that their annotations state. Source: docs/controllers.md,
// "Objects that expire".
import {
  type Client,
  type EventSink,
  type QueueMetrics,
  type RequeueAfter,
  ResourceMapper,
  runWorkers,
  WorkQueue,
} from "@orch/client";
import { expiryMsOf, isCode, metaOf, type ObjectMeta } from "@orch/machinery";
import { pauseUnlessAborted } from "@orch/platform";
import { timeText, vocabularyOf } from "@orch/schema";
import { ObjectAccess } from "../../framework/objects/object-access";
import type { ObjectMonitors } from "../../framework/objects/object-monitors";
import { type ExpiringObject, ExpiringObjects } from "./expiring-objects";

export interface ObjectExpiryOptions {
  readonly client: Client;
  readonly events: EventSink;
  /** The watches of all collections. */
  readonly monitors: ObjectMonitors;
  readonly workers: number;
  readonly metrics?: (queue: string) => QueueMetrics;
}

/** Interval of looks for objects that are due. */
const LOOK_MS = 1_000;
/** Pause before another attempt to delete an object whose deletion was refused. A change of the object ends it. */
const REFUSED_MS = 60_000;

/** Runs the controller until the signal is aborted. */
export async function expireObjects(
  { client, events, monitors, workers, metrics }: ObjectExpiryOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = client;
  const { expiresAt, ttl } = vocabularyOf(client.vocabulary).annotations;
  const keys = { expiresAt, ttl };
  /** Returns the time of expiry; undefined for an object without one, and for one that is being deleted. */
  const awaitedMs = (metadata: ObjectMeta) => (metadata.deletionTimestamp ? undefined : expiryMsOf(metadata, keys));
  const objects = new ExpiringObjects();
  const access = new ObjectAccess(client, new ResourceMapper(client));
  const queue = new WorkQueue<string>({ clock, metrics: metrics?.("object_expiry") });

  monitors.subscribe({
    observed(identity, object) {
      const expiryMs = awaitedMs(metaOf(object));
      if (expiryMs === undefined) return objects.delete(identity.uid);
      objects.set({ identity, expiryMs });
      if (expiryMs <= clock.now()) queue.add(identity.uid);
    },
    gone: (uid) => objects.delete(uid),
    rediscovered: () => access.forgetKinds(),
  });

  async function reconcile(uid: string): Promise<RequeueAfter | undefined> {
    const known = objects.get(uid);
    if (known === undefined) return undefined;
    const object = await access.read(known.identity);
    const metadata = metaOf(object ?? {});
    const expiryMs = awaitedMs(metadata);
    if (expiryMs === undefined) {
      objects.delete(uid);
      return undefined;
    }
    const expiring = { identity: known.identity, expiryMs };
    if (expiryMs > clock.now()) {
      objects.set(expiring);
      return undefined;
    }
    return expire(expiring, metadata.resourceVersion);
  }

  async function expire(
    { identity, expiryMs }: ExpiringObject,
    resourceVersion: string | undefined,
  ): Promise<RequeueAfter | undefined> {
    const tell = (type: "Normal" | "Warning", reason: string, note: string) =>
      events.record({ regarding: { ...identity }, type, reason, action: "Expire", note });
    const when = `the object has expired at ${timeText(expiryMs)}`;
    try {
      await access.delete(identity, "Background", resourceVersion);
    } catch (error) {
      if (!isCode(error, 403, 422)) throw error;
      tell("Warning", "ExpiryRefused", `${when}, but it was not deleted: ${error.message}`);
      return { againAfterMs: REFUSED_MS };
    }
    tell("Normal", "Expired", `${when} and was deleted`);
    objects.delete(identity.uid);
    return undefined;
  }

  async function look(): Promise<void> {
    while (!signal.aborted) {
      for (const uid of objects.due(clock.now())) queue.add(uid);
      await pauseUnlessAborted(clock, LOOK_MS, signal);
    }
  }

  await monitors.ready();
  await Promise.all([runWorkers({ queue, workers, signal, log, reconcile }), look()]);
}
