// Definition of a controller: one folder, whose controller.ts contains everything that the manager and its program need.
import type { FieldGate } from "@orch/apis";
import type { Client, EventSink, QueueMetrics, TextSource } from "@orch/client";
import type { ConfigOf, FlagTable, FlagValues } from "@orch/machinery";
import type { DeviceMetrics } from "./device-metrics";
import type { SharedViews } from "./shared-views";

export interface Controller {
  readonly name: string;
  /** Name in later releases. */
  readonly alias: string;
  /** Description for `--help`, after "it": `empties namespaces`. */
  readonly does: string;
  /** Whether the controller runs only when it is named, and not with `*`. */
  readonly offByDefault?: true;
  /** First server release with the required feature. Absent: any. */
  readonly since?: string;
  /** Feature gate that must be on. Absent: none. */
  readonly gate?: FieldGate;
  /** Resource that the server must serve. `group`: key in the vocabulary. `versions`: default any. */
  readonly needs?: { readonly group: string; readonly resource: string; readonly versions?: readonly string[] };
  /** Multiple of the default request rate. Absent: 1. */
  readonly rateFactor?: number;
  /** Flags of the program that belong to this controller. */
  readonly flags: FlagTable;
  /**
   * Checks the options at startup.
   * @throws Error for an invalid combination
   */
  check?(options: ControllerOptions): void;
  /** Runs the controller until the signal is aborted. */
  run(context: ControllerContext, options: ControllerOptions, signal: AbortSignal): Promise<void>;
}

export interface ControllerContext {
  readonly client: Client;
  /** Release that the server emulates: `1.23`. */
  readonly release: string;
  readonly isOn: GateReader;
  readonly events: EventSink;
  /** PEM of the authorities that the client trusts; undefined: those of Node.js. */
  readonly trusted?: TextSource | undefined;
  readonly metrics?: (queue: string) => QueueMetrics;
  readonly devices?: DeviceMetrics;
  /** Caches that the controllers of a manager share. */
  readonly views: SharedViews;
}

/** Returns whether a feature gate of this manager is on. */
export type GateReader = (gate: FieldGate) => boolean;

/** Values by flag name. */
export type ControllerOptions = Readonly<Record<string, FlagValues[keyof FlagValues]>>;

/** @param controller definition whose `run` receives the values of its own flags */
export function defineController<const Flags extends FlagTable>(
  controller: Omit<Controller, "flags" | "check" | "run"> & {
    readonly flags: Flags;
    check?(options: ConfigOf<Flags>): void;
    run(context: ControllerContext, options: ConfigOf<Flags>, signal: AbortSignal): Promise<void>;
  },
): Controller {
  return controller;
}
