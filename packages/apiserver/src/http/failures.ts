// What goes wrong on one connection ends that connection, is counted by where it happened, and is told once.

import { executionAsyncResource } from "node:async_hooks";
import { errorFields } from "@orch/platform";
import type { Logger } from "../logging/logger";
import { RareLine } from "../logging/rare-line";

/** Where a failure may come from. */
export type FailurePlace =
  /** The listening socket could not take a connection. */
  | "accept"
  /** What came in is no HTTP. */
  | "parse"
  /** An HTTP/2 connection as a whole. */
  | "session"
  /** A listener of the server's, called for one connection or request. */
  | "listener"
  /** A promise that nobody looked at, refused with what only requests are refused with. */
  | "rejection"
  /** Thrown past all of these, while the process worked for one connection. */
  | "uncaught";

const CAUSES_MAX = 200;

export interface FailureDeps {
  readonly logger: Logger;
  count(place: FailurePlace): void;
  /** Milliseconds; does not go back. */
  now(): number;
}

export class Failures {
  /** By place and cause. */
  private readonly lines = new Map<string, RareLine>();

  constructor(private readonly deps: FailureDeps) {}

  tell(place: FailurePlace, error: unknown, fields: Readonly<Record<string, unknown>> = {}): void {
    const { logger, count } = this.deps;
    count(place);
    const untold = this.lineOf(`${place} ${causeOf(error)}`).due();
    if (untold === undefined) return;
    const line = { place, ...fields, ...(untold === 0 ? {} : { untold }), ...errorFields(error) };
    // Clients that do not speak HTTP are no failure of the server's.
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

  /** A listener whose failure ends what it was called for, and nothing else. @param end told what to end by the listener's arguments */
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

/** What tells causes apart: a code where there is one; the text of others may have anything in it. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as NodeJS.ErrnoException;
  return code ?? `${error.name} ${error.stack?.split("\n")[1]?.trim() ?? ""}`;
}

/** How deep to look: a tick has arguments, among them a request, which has a stream, which has a session. */
const DEPTH_MAX = 5;

/**
 * For whom the process works at this moment, as far as the run time knows it: to be asked by those who are told of an error that
 * nobody has caught. Every callback of the run time belongs to a resource, such as a socket's handle, or the arguments of a tick.
 * @param isOne whether something is what is looked for
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

/** By these names the objects of the run time know each other, and by symbols of these descriptions. */
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

/** Members of what has ended may throw when they are looked at. */
function safely(look: () => unknown): unknown {
  try {
    return look();
  } catch {
    return undefined;
  }
}
