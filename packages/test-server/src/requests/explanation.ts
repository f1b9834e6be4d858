// Text about the last requests, for the output of a test that failed.
import type { RecordedRequest } from "./recorded-request";

/** Number of requests that an explanation shows by default. */
const SHOWN_REQUESTS = 30;

/** @param last number of requests to show, the last ones */
export function explanation(requests: readonly RecordedRequest[], last = SHOWN_REQUESTS): string {
  if (requests.length === 0) return "no request has reached the server";
  const shown = requests.slice(-last);
  const left = requests.length - shown.length;
  const first = shown[0]?.at ?? 0;
  return [
    `the last ${shown.length} of ${requests.length} requests${left === 0 ? "" : `; ${left} earlier ones are left out`}:`,
    ...shown.map((request) => `  ${line(request, first)}`),
  ].join("\n");
}

function line(
  { at, user, verb, path, status, durationMs, refusedBy, message }: RecordedRequest,
  first: number,
): string {
  const head = `+${Math.round(at - first)} ms ${user === "" ? "(nobody)" : user}: ${verb} ${path}`;
  if (status === undefined) return `${head}: not answered yet`;
  const end = `${head}: ${status} after ${Math.round(durationMs ?? 0)} ms`;
  return refusedBy === undefined ? end : `${end}, refused by ${refusedBy}: ${message ?? "no message"}`;
}
