// Responses of /healthz, /livez and /readyz: one check for leader election, one for each controller. Source: Kubernetes
// documentation, "Kubernetes API health endpoints".
import type { ControllerStates } from "../manager/controller-states";

export interface HealthParts {
  readonly states: ControllerStates;
  /** False for a leader that could not renew its lease and should have stopped long ago. */
  readonly isHealthy: () => boolean;
  /** Receives the result of each check. */
  readonly metrics: { checked(name: string, type: string, passed: boolean): void };
}

export interface HealthAnswer {
  readonly code: 200 | 404 | 500;
  readonly text: string;
}

interface Check {
  readonly name: string;
  readonly problem: string | undefined;
}

/** Health paths, which all return the same checks. */
export const HEALTH_PATHS: readonly string[] = ["/healthz", "/livez", "/readyz"];

/** @param rest rest of the path: "" for all checks, else the name of one */
export function healthAnswer(parts: HealthParts, path: string, rest: string, query: URLSearchParams): HealthAnswer {
  const checks = checksOf(parts);
  const name = path.slice(1);
  for (const { name: check, problem } of checks) parts.metrics.checked(check, name, problem === undefined);
  if (rest === "") {
    const left = query.getAll("exclude");
    return answerOf(
      checks.filter((check) => !left.includes(check.name)),
      name,
      query.has("verbose"),
    );
  }
  const one = checks.filter((check) => check.name === rest);
  if (one.length === 0) return { code: 404, text: "404 page not found" };
  return answerOf(one, `${name}/${rest}`, query.has("verbose"));
}

function answerOf(checks: readonly Check[], name: string, isVerbose: boolean): HealthAnswer {
  const failing = checks.filter(({ problem }) => problem !== undefined);
  if (failing.length === 0 && !isVerbose) return { code: 200, text: "ok" };
  const lines = checks.map(({ name: each, problem }) =>
    problem === undefined ? `[+]${each} ok` : `[-]${each} failed: ${problem}`,
  );
  const end = `${name} check ${failing.length === 0 ? "passed" : "failed"}`;
  return { code: failing.length === 0 ? 200 : 500, text: [...lines, end].join("\n") };
}

function checksOf({ states, isHealthy }: HealthParts): readonly Check[] {
  const lead = { name: "leaderElection", problem: isHealthy() ? undefined : "the lease was not renewed in time" };
  const controllers = [...states.all()].map(([name, state]) => ({
    name,
    problem: state.kind === "failed" ? state.why : undefined,
  }));
  return [lead, ...controllers];
}
