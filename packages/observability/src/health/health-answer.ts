// Health endpoints in their text form. Source: Kubernetes documentation, "Kubernetes API health endpoints".
import { UNAUTHENTICATED_GROUP } from "@orch/auth";
import { answerText } from "@orch/http-server";
import type { ApiRequest, ApiResponse } from "@orch/request";
import type { Endpoint, HealthChecks, HealthReport } from "./health-checks";

/** @param check name of a check in a path such as `/readyz/ping`; "" for the whole endpoint */
export async function answerHealth(
  checks: HealthChecks,
  request: ApiRequest,
  response: ApiResponse,
  of: { readonly endpoint: Endpoint; readonly check: string },
): Promise<boolean> {
  const { info, user } = request.context;
  const isKnown = !user.groups.includes(UNAUTHENTICATED_GROUP);
  if (of.check !== "") return answerOne(checks, response, { ...of, isKnown });
  const { query } = info;
  const report = await checks.run(of.endpoint, query?.getAll("exclude") ?? []);
  if (report.healthy && query?.has("verbose") !== true) answerText(response, 200, "ok");
  else
    answerText(
      response,
      report.healthy ? 200 : 500,
      reportText(report, checks.notes(of.endpoint, isKnown), checks.passedLine(of.endpoint)),
    );
  return true;
}

async function answerOne(
  checks: HealthChecks,
  response: ApiResponse,
  of: { readonly endpoint: Endpoint; readonly check: string; readonly isKnown: boolean },
): Promise<boolean> {
  const result = await checks.runOne(of.endpoint, of.check);
  if (result === undefined) return false;
  const why = of.isKnown ? result.error : "reason withheld";
  if (result.outcome === "failed") answerText(response, 500, `internal server error: ${why}\n`);
  else answerText(response, 200, "ok");
  return true;
}

/** Reasons are withheld: the client may be unauthenticated. */
function reportText(
  { endpoint, healthy, results, unknown }: HealthReport,
  notes: readonly string[],
  passed: string,
): string {
  const lines = results.map(({ name, outcome }) => LINE[outcome](name));
  const odd = unknown.map((name) => JSON.stringify(name)).join(", ");
  if (unknown.length > 0) lines.push(`warn: some health checks cannot be excluded: no matches for ${odd}`);
  for (const note of notes) lines.push(`warn: ${note}`);
  lines.push(healthy ? passed : `${endpoint} check failed`);
  return `${lines.join("\n")}\n`;
}

const LINE = {
  ok: (name: string) => `[+]${name} ok`,
  excluded: (name: string) => `[+]${name} excluded: ok`,
  failed: (name: string) => `[-]${name} failed: reason withheld`,
} as const;
