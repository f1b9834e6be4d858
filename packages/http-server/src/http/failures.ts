// Failures of single connections. A failure closes its connection, is counted by place, and is logged once.

import { executionAsyncResource } from "node:async_hooks";
import { errorFields, type Log } from "@orch/platform";
import { RareLine } from "./rare-line";

/** Place of a failure. */
export type FailurePlace =
  /** The listening socket could not accept a connection. */
  | "accept"
  /** The input is not HTTP. */
  | "parse"
  /** An HTTP/2 session failed. */
  | "session"
  /** A listener of the server failed for one connection or request. */
  | "listener"
  /** An unhandled rejection with an error that belongs to a request. */
  | "rejection"
  /** An uncaught exception during the work for one connection. */
  | "uncaught";

const CAUSES_MAX = 200;

export interface FailureDeps {
  readonly logger: Log;
  count(place: FailurePlace): void;
  /** Monotonic time in milliseconds. */
  now(): number;
}

export class Failures {
  /** Log lines by place and cause. */
  private readonly lines = new Map<string, RareLine>();

  constructor(private readonly deps: FailureDeps) {}

  tell(place: FailurePlace, error: unknown, fields: Readonly<Record<string, unknown>> = {}): void {
    const { logger, count } = this.deps;
    count(place);
    const untold = this.lineOf(`${place} ${causeOf(error)}`).due();
    if (untold === undefined) return;
    const line = { place, ...fields, ...(untold === 0 ? {} : { untold }), ...errorFields(error) };
    // Clients that do not speak HTTP are not failures of the server.
    if (place === "parse" || place === "session") logger.info("a connection failed", { ...line, stack: undefined });
    else logger.error("a connection failed", line);
  }

  private lineOf(cause: string): RareLine {
    let line = this.lines.get(cause);
    if (line === undefined) {
      if (this.lines.size >= CAUSES_MAX) this.lines.clear();
      line = new RareLine(this.deps.now);
      this.lines.set(cause, line);
    }
    return line;
  }

  /**
   * Wraps a listener whose failure ends only what it was called for.
   * @param end ends it; gets the arguments of the listener
   */
  guarded<Args extends readonly unknown[]>(
    act: (...args: Args) => void,
    end: (...args: Args) => void,
  ): (...args: Args) => void {
    return (...args) => {
      try {
        act(...args);
      } catch (error) {
        this.tell("listener", error);
        end(...args);
      }
    };
  }
}

/** Returns a key for the cause: the error code if there is one, because messages may contain anything. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as NodeJS.ErrnoException;
  return code ?? `${error.name} ${error.stack?.split("\n")[1]?.trim() ?? ""}`;
}

/** Maximum depth of the search: a tick has arguments, among them a request with a stream with a session. */
const DEPTH_MAX = 5;

/**
 * Finds the object that the process is working for, from the current async resource of Node.js; used by handlers of
 * uncaught errors. Each callback belongs to a resource, such as the handle of a socket or the arguments of a tick.
 * @param isOne returns the wanted object for a candidate
 */
export function workedFor<One>(isOne: (candidate: object) => One | undefined): One | undefined {
  const seen = new Set<object>();
  let layer: readonly object[] = [executionAsyncResource()];
  for (let depth = 0; depth <= DEPTH_MAX; depth += 1) {
    for (const candidate of layer) {
      const found = isOne(candidate);
      if (found !== undefined) return found;
      seen.add(candidate);
    }
    layer = layer.flatMap(partsOf).filter((part) => !seen.has(part));
  }
  return undefined;
}

/** Members, and descriptions of symbols, by which objects of Node.js refer to each other. */
const NAMES = ["socket", "stream", "session", "req", "args"] as const;
const SYMBOLS: ReadonlySet<string | undefined> = new Set(["owner_symbol", "request", "response", "session"]);

function partsOf(whole: object): object[] {
  const parts: unknown[] = [];
  for (const name of NAMES) parts.push(safely(() => (whole as Record<string, unknown>)[name]));
  for (const symbol of Object.getOwnPropertySymbols(whole)) {
    if (SYMBOLS.has(symbol.description)) parts.push((whole as Record<symbol, unknown>)[symbol]);
  }
  if (Array.isArray(whole)) parts.push(...whole);
  return parts.filter((part): part is object => typeof part === "object" && part !== null);
}

/** Members of closed objects may throw on access. */
function safely(look: () => unknown): unknown {
  try {
    return look();
  } catch {
    return undefined;
  }
}
