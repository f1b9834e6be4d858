// TTL-after-finished controller: deletes finished jobs and their pods when the TTL has passed. A server without the
// field stores none, so that there is nothing to do. Source:
// pkg/controller/ttlafterfinished/ttlafterfinished_controller.go.
import {
  builtInTypes,
  type Client,
  InformerFactory,
  keyOf,
  type QueueMetrics,
  type RequeueAfter,
  runWorkers,
  splitKey,
  WorkQueue,
} from "@orch/client";
import { isCode } from "@orch/machinery";
import type { batchV1 } from "@orch/schema";
import { endingJob, expiryMsOf } from "./job-expiry";

export interface FinishedJobsOptions {
  readonly client: Client;
  readonly workers: number;
  readonly metrics?: (queue: string) => QueueMetrics;
}

/** Runs the controller until the signal is aborted. */
export async function removeFinishedJobs(
  { client, workers, metrics }: FinishedJobsOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = client;
  const factory = new InformerFactory(client);
  const queue = new WorkQueue({
    clock,
    metrics: metrics?.("ttl_jobs_to_delete"),
  });
  const { jobs: type } = builtInTypes(client.vocabulary);
  const jobs = factory.informer(type, { transform: endingJob });
  const look = (job: batchV1.Job) => {
    if (expiryMsOf(job) !== undefined) queue.add(keyOf(job));
  };
  jobs.addHandler({ added: look, updated: (_before, after) => look(after) });
  factory.start(signal);

  async function reconcile(key: string): Promise<RequeueAfter | undefined> {
    const known = jobs.store.get(key);
    if (known === undefined) return undefined;
    const early = earliness(known);
    if (early !== "now") return early;
    const { namespace, name } = splitKey(key);
    const access = client.resource(type).namespace(namespace);
    // The cache may be stale: the TTL may have been extended, or the job recreated.
    const job = await access.find(name);
    if (job === undefined) return undefined;
    const stillEarly = earliness(job);
    if (stillEarly !== "now") return stillEarly;
    const { uid } = job.metadata ?? {};
    try {
      await access.delete(name, {
        propagationPolicy: "Foreground",
        ...(uid === undefined ? {} : { preconditions: { uid } }),
      });
    } catch (error) {
      if (!isCode(error, 404, 409)) throw error;
    }
    return undefined;
  }

  function earliness(job: batchV1.Job): "now" | RequeueAfter | undefined {
    const expiryMs = expiryMsOf(job);
    if (expiryMs === undefined) return undefined;
    const againAfterMs = expiryMs - clock.now();
    return againAfterMs <= 0 ? "now" : { againAfterMs };
  }

  await runWorkers({ queue, workers, signal, log, reconcile });
  await factory.stopped();
}
