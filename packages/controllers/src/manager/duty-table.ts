// The duties by name: which there are, which run, how fast each may ask. Source: facts, flags.json "controllerNames".
import type { Client, EventSink, QueueMetrics } from "@orch/client";
import { collectGarbage } from "../garbage/garbage-collector";
import { endNamespaces } from "../namespace/namespace-duty";

export interface DutyContext {
  readonly client: Client;
  readonly events: EventSink;
  readonly concurrentNamespaceSyncs: number;
  readonly concurrentGcSyncs: number;
  readonly metrics?: (queue: string) => QueueMetrics;
}

export interface Duty {
  readonly name: string;
  /** As later releases call it. */
  readonly alias: string;
  /** Times the request rate of an ordinary duty: these two end objects by the thousand, one or two requests each. */
  readonly rateFactor: number;
  /** Works until the signal is aborted. */
  readonly run: (context: DutyContext, signal: AbortSignal) => Promise<void>;
}

export const DUTIES: readonly Duty[] = [
  {
    name: "namespace",
    alias: "namespace-controller",
    rateFactor: 20,
    run: ({ concurrentNamespaceSyncs: workers, ...context }, signal) => endNamespaces({ ...context, workers }, signal),
  },
  {
    name: "garbagecollector",
    alias: "garbage-collector-controller",
    rateFactor: 20,
    run: ({ concurrentGcSyncs: workers, ...context }, signal) => collectGarbage({ ...context, workers }, signal),
  },
];

/**
 * @param names as `--controllers` has them: `*` for all, a name for one, `-name` for not that one; the order means nothing
 * @throws RangeError for a name that no duty has
 */
export function chosenDuties(names: readonly string[]): readonly Duty[] {
  const unknown = names.filter((name) => name !== "*" && !DUTIES.some((duty) => isNamed(duty, name.replace(/^-/, ""))));
  if (unknown.length > 0) {
    const known = DUTIES.map(({ name }) => name).join(", ");
    throw new RangeError(`--controllers: no duty is named ${unknown.join(", ")}; there are ${known}`);
  }
  return DUTIES.filter((duty) => {
    if (names.some((name) => isNamed(duty, name))) return true;
    return names.includes("*") && !names.some((name) => name.startsWith("-") && isNamed(duty, name.slice(1)));
  });
}

const isNamed = (duty: Duty, name: string): boolean => duty.name === name || duty.alias === name;
