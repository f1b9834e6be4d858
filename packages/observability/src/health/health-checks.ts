// Checks behind /healthz, /livez and /readyz. Each checks the actual state; results that need a round trip to another
// process are reused for a second.
import { errorFields } from "@orch/platform";
import type { Logger } from "../logging/logger";

/** Resolves when healthy. @throws Error with the reason */
export type Probe = () => void | Promise<void>;

export type Endpoint = "healthz" | "livez" | "readyz";

export interface HealthCheck {
  readonly name: string;
  /** Additional name under which the check is served, and may be excluded. */
  readonly alias?: string | undefined;
  readonly probe: Probe;
  readonly endpoints: readonly Endpoint[];
  /** Whether the check may be unfinished for some time after start without failing /livez. */
  readonly startHook?: boolean;
}

export interface CheckResult {
  readonly name: string;
  readonly outcome: "ok" | "excluded" | "failed";
  /** Reason of the failure, for the log and for a single check. */
  readonly error: string;
}

export interface HealthReport {
  readonly endpoint: Endpoint;
  readonly healthy: boolean;
  readonly results: readonly CheckResult[];
  /** Names in `exclude` that match no check. */
  readonly unknown: readonly string[];
}

export const ALL_ENDPOINTS: readonly Endpoint[] = ["healthz", "livez", "readyz"];

export interface HealthOptions {
  readonly logger: Logger;
  readonly inGracePeriod: () => boolean;
  /** Conditions that do not affect readiness. @param isKnown whether names may be disclosed */
  readonly notes: (isKnown: boolean) => readonly string[];
  readonly passedLine: (endpoint: Endpoint) => string;
  /** Receives each result of a check. */
  readonly observed?: (name: string, endpoint: Endpoint, passed: boolean) => void;
}

export class HealthChecks {
  private readonly checks: HealthCheck[] = [];

  constructor(private readonly options: HealthOptions) {}

  /** Lines for the detailed readiness answer. @param isKnown whether the client is authenticated */
  notes(endpoint: Endpoint, isKnown: boolean): readonly string[] {
    return endpoint === "readyz" ? this.options.notes(isKnown) : [];
  }

  /** Last line of a detailed answer when all checks pass. */
  passedLine(endpoint: Endpoint): string {
    return this.options.passedLine(endpoint);
  }

  add(check: HealthCheck): void {
    this.checks.push(check);
  }

  /** Sorted paths of the endpoints and of all checks. */
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
    const result = await this.outcomeOf(check, endpoint);
    this.options.observed?.(check.name, endpoint, result.outcome === "ok");
    return result;
  }

  private async outcomeOf(check: HealthCheck, endpoint: Endpoint): Promise<CheckResult> {
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

/** Time for which the result of a round trip is reused. */
export const ROUND_TRIP_GOOD_MS = 1000;

export interface ProbeBounds {
  /** Timeout of the probe. */
  readonly boundMs: number;
  /** Time for which a result is reused, so that concurrent clients cause one round trip. 0: each check runs its own. */
  readonly goodForMs: number;
  /** Monotonic clock. */
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

/** Check of a task that runs once after start. */
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
