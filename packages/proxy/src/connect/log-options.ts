// Converts the log options of the client's query to the kubelet's query. Source: pkg/registry/core/pod/strategy.go,
// LogLocation.
import { podLogOptionsErrors } from "@orch/apis";
import { badRequest, invalid, queryBoolean, queryInteger } from "@orch/machinery";
import { canonicalTime, type JsonObject, type Vocabulary } from "@orch/schema";

export interface LogOptions {
  /** "" when the client names none. */
  readonly container: string;
  /** Query parameters of the kubelet. */
  readonly query: URLSearchParams;
  /** Whether to skip the verification of the kubelet's certificate. */
  readonly unverified: boolean;
}

const SWITCHES = ["follow", "previous", "timestamps"] as const;
const NUMBERS = ["sinceSeconds", "tailLines", "limitBytes"] as const;
const KIND = { group: "", kind: "PodLogOptions" } as const;

/**
 * @param of.pod pod name for error messages
 * @throws StatusError BadRequest (400) for unreadable options, Invalid (422) for invalid values
 */
export function parseLogOptions(
  asked: URLSearchParams,
  of: { readonly pod: string; readonly vocabulary: Vocabulary },
): LogOptions {
  const query = new URLSearchParams();
  const options: JsonObject = {};
  for (const name of SWITCHES) if (queryBoolean(asked, name)) query.set(name, "true");
  for (const name of NUMBERS) {
    const value = queryInteger(asked, name);
    if (value === undefined) continue;
    options[name] = value;
    query.set(name, String(value));
  }
  const sinceTime = asked.get("sinceTime") ?? "";
  if (sinceTime !== "") {
    options["sinceTime"] = timeOf(sinceTime);
    query.set("sinceTime", timeOf(sinceTime));
  }
  const errors = podLogOptionsErrors(options, { vocabulary: of.vocabulary, version: { group: "", version: "v1" } });
  if (errors.length > 0) throw invalid(KIND, of.pod, errors);
  return {
    container: asked.get("container") ?? "",
    query,
    unverified: queryBoolean(asked, "insecureSkipTLSVerifyBackend"),
  };
}

function timeOf(text: string): string {
  const time = canonicalTime(text);
  if (time === undefined) {
    throw badRequest(
      `invalid value of the query parameter sinceTime: ${JSON.stringify(text.slice(0, 64))} is not an RFC 3339 time`,
    );
  }
  return time;
}
