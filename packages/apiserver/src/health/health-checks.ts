// The checks behind /healthz, /livez and /readyz. Each really looks; what costs a round trip to another process is looked at once a second.
import { errorFields } from "@orch/platform";
import type { Logger } from "../logging/logger";

/** Resolves when well. @throws Error that says what is wrong */
export type Probe = () => void | Promise<void>;

export type Endpoint = "healthz" | "livez" | "readyz";

export interface HealthCheck {
  readonly name: string;
  /** Another name under which the check alone is answered, and may be excluded. */
  readonly alias?: string | undefined;
  readonly probe: Probe;
  readonly endpoints: readonly Endpoint[];
  /** Unfinished in the first time after start, it does not fail /livez. */
  readonly startHook?: boolean;
}

export interface CheckResult {
  readonly name: string;
  readonly outcome: "ok" | "excluded" | "failed";
  /** Why it failed; for the log and for a single check. */
  readonly error: string;
}

export interface HealthReport {
  readonly endpoint: Endpoint;
  readonly healthy: boolean;
  readonly results: readonly CheckResult[];
  /** Names in `exclude` that no check has. */
  readonly unknown: readonly string[];
}

export const ALL_ENDPOINTS: readonly Endpoint[] = ["healthz", "livez", "readyz"];

export interface HealthOptions {
  readonly logger: Logger;
  readonly inGracePeriod: () => boolean;
  /** What is amiss without keeping the server from being ready. @param isKnown whether names may be told */
  readonly notes: (isKnown: boolean) => readonly string[];
  readonly passedLine: (endpoint: Endpoint) => string;
}

export class HealthChecks {
  private readonly checks: HealthCheck[] = [];

  constructor(private readonly options: HealthOptions) {}

  /** Lines for whoever asks in detail whether the server is ready. @param isKnown whether that is anybody */
  notes(endpoint: Endpoint, isKnown: boolean): readonly string[] {
    return endpoint === "readyz" ? this.options.notes(isKnown) : [];
  }

  /** The last line of a detailed answer when all is well. */
  passedLine(endpoint: Endpoint): string {
    return this.options.passedLine(endpoint);
  }

  add(check: HealthCheck): void {
    this.checks.push(check);
  }

  /** Sorted paths of the endpoints and of every check. */
  paths(): string[] {
    return ALL_ENDPOINTS.flatMap((endpoint) => [
      `/${endpoint}`,
      ...this.of(endpoint).flatMap((check) => namesOf(check).map((name) => `/${endpoint}/${name}`)),
    ]).sort();
  }

  async run(endpoint: Endpoint, excluded: readonly string[]): Promise<HealthReport> {
    const checks = this.of(endpoint);
    const results = await Promise.all(
      checks.map((check) =>
        namesOf(check).some((name) => excluded.includes(name)) ? EXCLUDED(check.name) : this.look(check, endpoint),
      ),
    );
    const failed = results.filter(({ outcome }) => outcome === "failed");
    for (const { name, error } of failed)
      this.options.logger.warn("health check failed", { endpoint, check: name, error });
    const unknown = excluded.filter((name) => !checks.some((check) => namesOf(check).includes(name)));
    return { endpoint, healthy: failed.length === 0, results, unknown };
  }

  /** @returns undefined when the endpoint has no such check */
  async runOne(endpoint: Endpoint, name: string): Promise<CheckResult | undefined> {
    const check = this.of(endpoint).find((each) => namesOf(each).includes(name));
    return check === undefined ? undefined : this.look(check, endpoint);
  }

  private of(endpoint: Endpoint): HealthCheck[] {
    return this.checks.filter(({ endpoints }) => endpoints.includes(endpoint));
  }

  private async look(check: HealthCheck, endpoint: Endpoint): Promise<CheckResult> {
    const { name } = check;
    try {
      await check.probe();
      return { name, outcome: "ok", error: "" };
    } catch (error) {
      if (endpoint === "livez" && check.startHook === true && this.options.inGracePeriod()) {
        return { name, outcome: "ok", error: "" };
      }
      return { name, outcome: "failed", error: String(errorFields(error)["error"]) };
    }
  }
}

const namesOf = ({ name, alias }: HealthCheck): readonly string[] => (alias === undefined ? [name] : [name, alias]);

const EXCLUDED = (name: string): CheckResult => ({ name, outcome: "excluded", error: "" });

/** How long the outcome of a round trip is good for. */
export const ROUND_TRIP_GOOD_MS = 1000;

export interface ProbeBounds {
  /** It waits no longer. */
  readonly boundMs: number;
  /** Nobody asks anew so long: however many want to know, one round trip is made. 0: each looks for itself. */
  readonly goodForMs: number;
  /** A clock that does not go back. */
  readonly nowMs: () => number;
}

export function bounded(probe: () => Promise<void>, { boundMs, goodForMs, nowMs }: ProbeBounds): Probe {
  let last: { readonly at: number; readonly outcome: Promise<void> } | undefined;
  return () => {
    if (last === undefined || nowMs() - last.at >= goodForMs) {
      last = { at: nowMs(), outcome: within(probe(), boundMs) };
      last.outcome.catch(() => {});
    }
    return last.outcome;
  };
}

function within(work: Promise<void>, boundMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${boundMs} ms`)), boundMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** A check of something that is done once after start. */
export class StartHook {
  private finished = false;

  readonly probe: Probe = () => {
    if (!this.isDone) throw new Error("not finished");
  };

  get isDone(): boolean {
    return this.finished;
  }

  done(): void {
    this.finished = true;
  }
}
