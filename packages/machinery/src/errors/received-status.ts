// Converts a received error response into a StatusError: the inverse of `toStatus`, for clients.
import { isObject, type JsonValue } from "@orch/schema";
import { isStatusReason, reasonOfCode, type StatusCause, type StatusDetails, StatusError } from "./status-error";

/** An error response without a readable Status. */
export interface FailedAnswer {
  readonly code: number;
  /** Start of the body, for the message. */
  readonly text: string;
}

/**
 * Converts an error response.
 * @param body the parsed response body; anything other than a failure Status is reported by its HTTP status alone
 * @returns an error with the server's code and message; an unknown reason is replaced by the reason of the code
 */
export function receivedStatusError(body: JsonValue | undefined, answer: FailedAnswer): StatusError {
  if (!isObject(body) || body["kind"] !== "Status" || body["status"] === "Success") return bare(answer);
  const code = Number.isInteger(body["code"]) && body["code"] !== 0 ? (body["code"] as number) : answer.code;
  const reason = isStatusReason(body["reason"]) ? body["reason"] : reasonOfCode(code);
  const message = text(body["message"]) || `the server answered ${code} without a message`;
  const continueToken = isObject(body["metadata"]) ? text(body["metadata"]["continue"]) : "";
  return new StatusError(reason, message, receivedDetails(body["details"]), {
    code,
    ...(continueToken === "" ? {} : { continueToken }),
  });
}

const SHOWN_CHARACTERS = 200;

function bare({ code, text: body }: FailedAnswer): StatusError {
  const shown = body.trim().slice(0, SHOWN_CHARACTERS);
  return new StatusError(
    reasonOfCode(code),
    `the server answered ${code}${shown === "" ? "" : `: ${shown}`}`,
    undefined,
    {
      code,
    },
  );
}

/** Reads the details of a Status created elsewhere. Members of the wrong type are dropped. */
export function receivedDetails(value: JsonValue | undefined): StatusDetails | undefined {
  if (!isObject(value)) return undefined;
  const causes = Array.isArray(value["causes"]) ? value["causes"].filter(isObject) : [];
  const seconds = value["retryAfterSeconds"];
  return {
    ...texts(value, ["name", "group", "kind", "uid"]),
    ...(causes.length === 0
      ? {}
      : { causes: causes.map((cause): StatusCause => texts(cause, ["reason", "message", "field"])) }),
    ...(typeof seconds === "number" ? { retryAfterSeconds: seconds } : {}),
  };
}

function texts(from: { readonly [key: string]: JsonValue }, fields: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const field of fields) {
    const value = from[field];
    if (typeof value === "string") found[field] = value;
  }
  return found;
}

const text = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");
