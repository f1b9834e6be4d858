// The program of the side lane's thread; see side-lane.ts.
import { parentPort, workerData } from "node:worker_threads";
import { LaneMetrics } from "../../lane/lane-metrics";
import type { LaneOffers, LaneStart, MainOffers } from "../../lane/lane-work";
import { createLogger } from "../../logging/logger";
import { PortPeer } from "../../threads/port-peer";
import { laneServer } from "./lane-server";

const port = parentPort;
if (port !== null) {
  const start = workerData as LaneStart;
  let serve: Promise<LaneOffers> | undefined;
  const server = () => (serve ??= begin());
  const offers: LaneOffers = {
    write: async (work, signal) => (await server()).write(work, signal),
    remove: async (work, signal) => (await server()).remove(work, signal),
    rewrite: async (work, signal) => (await server()).rewrite(work, signal),
    convert: async (work, signal) => (await server()).convert(work, signal),
    render: async (work) => (await server()).render(work),
    ping() {},
  };
  const main = new PortPeer<MainOffers>(port, offers);
  const metrics = new LaneMetrics((observations) => void main.call("observed", observations).catch(() => {}));
  const begin = async (): Promise<LaneOffers> => {
    const { config } = start;
    const logger = await createLogger({
      verbosity: config.v,
      format: config["logging-format"] === "text" ? "text" : "json",
    });
    return laneServer({ start, main, metrics: metrics.seen, logger });
  };
  port.on("message", (message) => main.receive(message));
}
