// The options of a log: from the client's query to the node agent's. Source: facts, apiserver-hooks.md "Connect sub-resources".
import { badRequest, type FieldError, field, invalid, queryBoolean, queryInteger } from "@orch/machinery";
import { canonicalTime } from "@orch/schema";

export interface LogOptions {
  /** "" when the client names none. */
  readonly container: string;
  /** Options that the agent takes, as it spells them. */
  readonly query: URLSearchParams;
  /** The agent's certificate is not to be looked at. */
  readonly unverified: boolean;
}

const SWITCHES = ["follow", "previous", "timestamps"] as const;
const NUMBERS = [
  { name: "sinceSeconds", least: 1 },
  { name: "tailLines", least: 0 },
  { name: "limitBytes", least: 1 },
] as const;

/**
 * @param pod for the text of errors
 * @throws StatusError BadRequest (400) for what cannot be read, Invalid (422) for values that make no sense
 */
export function parseLogOptions(asked: URLSearchParams, pod: string): LogOptions {
  const query = new URLSearchParams();
  const errors: FieldError[] = [];
  for (const name of SWITCHES) if (queryBoolean(asked, name)) query.set(name, "true");
  for (const { name, least } of NUMBERS) {
    const value = queryInteger(asked, name);
    if (value === undefined) continue;
    if (value < least)
      errors.push(field.invalid(name, value, `must be greater than ${least === 0 ? "or equal to 0" : "0"}`));
    query.set(name, String(value));
  }
  const sinceTime = asked.get("sinceTime") ?? "";
  if (sinceTime !== "") {
    query.set("sinceTime", timeOf(sinceTime));
    if (query.has("sinceSeconds")) {
      errors.push(field.forbidden("", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
    }
  }
  if (errors.length > 0) throw invalid({ group: "", kind: "PodLogOptions" }, pod, errors);
  return {
    container: asked.get("container") ?? "",
    query,
    unverified: queryBoolean(asked, "insecureSkipTLSVerifyBackend"),
  };
}

function timeOf(text: string): string {
  const time = canonicalTime(text);
  if (time === undefined) {
    throw badRequest(`invalid value of the query parameter sinceTime: ${JSON.stringify(text.slice(0, 64))} is no time`);
  }
  return time;
}
