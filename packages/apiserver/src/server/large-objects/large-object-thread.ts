// The program of a large-object worker; see large-object-workers.ts.

import { parentPort, workerData } from "node:worker_threads";
import { createLogger } from "@orch/observability";
import { collectGarbageWhenIdle, PortPeer } from "@orch/platform";
import { TYPED_ERRORS } from "../../large-objects/typed-errors";
import type { MainThreadCalls, WorkerCalls, WorkerStart } from "../../large-objects/worker-calls";
import { WorkerMetrics } from "../../large-objects/worker-metrics";
import { largeObjectServer } from "./large-object-server";

/** Time between two looks for garbage: a thread that has created 300 definitions holds 120 MiB, most of it garbage. */
const COLLECT_MS = 2_000;

const port = parentPort;
if (port !== null) {
  const start = workerData as WorkerStart;
  let serve: Promise<WorkerCalls> | undefined;
  const server = () => (serve ??= begin());
  const offers: WorkerCalls = {
    write: async (work, signal) => (await server()).write(work, signal),
    remove: async (work, signal) => (await server()).remove(work, signal),
    rewrite: async (work, signal) => (await server()).rewrite(work, signal),
    convert: async (work, signal) => (await server()).convert(work, signal),
    render: async (work) => (await server()).render(work),
    ping() {},
  };
  const main = new PortPeer<MainThreadCalls>(port, offers, TYPED_ERRORS);
  const metrics = new WorkerMetrics((observations) => void main.call("observed", observations).catch(() => {}));
  const begin = async (): Promise<WorkerCalls> => {
    collectGarbageWhenIdle({ lookMs: COLLECT_MS });
    const { config } = start;
    const logger = await createLogger({
      verbosity: config.v,
      format: config["logging-format"] === "text" ? "text" : "json",
    });
    return largeObjectServer({ start, main, metrics: metrics.seen, logger });
  };
  port.on("message", (message) => main.receive(message));
}
