// What a duty is: one folder, whose duty.ts says all that the manager and its program have to know of it.
import type { Client, EventSink, QueueMetrics, TextSource } from "@orch/client";
import type { ConfigOf, FlagTable, FlagValues } from "@orch/machinery";
import type { SharedViews } from "./shared-views";

export interface Duty {
  readonly name: string;
  /** As later releases call it. */
  readonly alias: string;
  /** For `--help`, after "it": `empties namespaces`. */
  readonly does: string;
  /** Done only where it is named, and not by `*`. */
  readonly offByDefault?: true;
  /** The first release of servers that have what it is for. Absent: any. */
  readonly since?: string;
  /** What servers have to serve for it, in any version. `group`: as in the vocabulary. */
  readonly needs?: { readonly group: string; readonly resource: string };
  /** Times the request rate of an ordinary duty. Absent: once. */
  readonly rateFactor?: number;
  /** Of the program, for this duty alone. */
  readonly flags: FlagTable;
  /** Looks at them before anything begins. @throws Error for what does not go together */
  check?(options: DutyOptions): void;
  /** Works until the signal is aborted. */
  run(context: DutyContext, options: DutyOptions, signal: AbortSignal): Promise<void>;
}

export interface DutyContext {
  readonly client: Client;
  /** That the server emulates: `1.23`. */
  readonly release: string;
  readonly events: EventSink;
  /** PEM of the authorities that the client trusts; undefined: those of the run time. */
  readonly trusted?: TextSource | undefined;
  readonly metrics?: (queue: string) => QueueMetrics;
  /** What it shares with the other duties of its manager. */
  readonly views: SharedViews;
}

/** By the name of the flag. */
export type DutyOptions = Readonly<Record<string, FlagValues[keyof FlagValues]>>;

/** @param duty whose `run` is given the values of its own flags */
export function defineDuty<const Flags extends FlagTable>(
  duty: Omit<Duty, "flags" | "check" | "run"> & {
    readonly flags: Flags;
    check?(options: ConfigOf<Flags>): void;
    run(context: DutyContext, options: ConfigOf<Flags>, signal: AbortSignal): Promise<void>;
  },
): Duty {
  return duty;
}
