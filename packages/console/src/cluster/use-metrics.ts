// The metrics of the server that answers, read while the page is visible.
import { useRef } from "preact/hooks";
import type { Loaded } from "../parts/use-loaded";
import { usePolled } from "../parts/use-polled";
import { request } from "../requests/api";
import { unreachable } from "../requests/failure";
import { textLines } from "../requests/text-lines";
import { DURATIONS, FigureHistory, LOOK_NAMES, lookAt, type Point } from "./figures";
import { SHOWN_METRICS } from "./metric-names";
import { Metrics } from "./metrics-text";

export interface SeenMetrics {
  readonly metrics: Metrics;
  /** The last values of the charts. */
  readonly points: readonly Point[];
}

const CHARACTERS_MAX = 128 * 1024 * 1024;
/** A rate needs two values: the second comes soon. */
const FIRST_PAUSE_MS = 1500;
const PAUSE_MS = 5000;

const WANTED = new Set([...LOOK_NAMES, ...SHOWN_METRICS]);

export function useMetrics(): Loaded<SeenMetrics> {
  const history = useRef(new FigureHistory());
  const load = async (signal: AbortSignal): Promise<SeenMetrics> => {
    const metrics = await readMetrics(signal);
    const look = lookAt(metrics, performance.now());
    metrics.forget(DURATIONS);
    return { metrics, points: history.current.add(look) };
  };
  return usePolled(load, [], ({ points }) => (points.length < 2 ? FIRST_PAUSE_MS : PAUSE_MS));
}

/** Reads the page piece by piece, so that a page of some megabytes does not hold the browser up. @throws ApiFailure */
async function readMetrics(signal: AbortSignal): Promise<Metrics> {
  const { body } = await request("/metrics", { accept: "text/plain", signal });
  if (body === null) throw unreachable();
  const metrics = new Metrics((name) => WANTED.has(name));
  for await (const lines of textLines(body, CHARACTERS_MAX)) metrics.add(lines);
  return metrics;
}
