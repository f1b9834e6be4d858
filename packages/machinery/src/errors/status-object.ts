// The Status object: the body of every failure, and of deletions that return no object. Source: facts, errors.json "statusObject".
import { internalError } from "./server-errors";
import { type StatusDetails, StatusError } from "./status-error";

export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: { readonly continue?: string };
  readonly status: "Success" | "Failure";
  readonly message?: string;
  /** One of `StatusReason`, or what somebody else gave. */
  readonly reason?: string;
  readonly details?: StatusDetails;
  /** Equal to the HTTP status of the answer; a deletion's answer has none. */
  readonly code?: number;
}

export interface FailureStatus extends Status {
  readonly code: number;
}

/** The body for anything that was thrown. What is no StatusError is a 500 that tells the client nothing of the server's inside. */
export function toStatus(error: unknown): FailureStatus {
  const { reason, foreignReason, message, details, code, continueToken } =
    error instanceof StatusError ? error : internalError("the server failed to handle the request; its log says why");
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: continueToken === undefined ? {} : { continue: continueToken },
    status: "Failure",
    message,
    ...reasonMember(foreignReason ?? reason),
    ...(details === undefined ? {} : { details: withoutEmpty(details) }),
    code,
  };
}

const reasonMember = (reason: string) => (reason === "" ? {} : { reason });

/** A deletion's answer where it does not return the object. @param details of the removed object; `kind` is the resource's plural */
export const deletedStatus = (details: StatusDetails): Status => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  details: withoutEmpty(details),
});

/** An operation such as a binding or an eviction that creates nothing to show. */
export const successStatus = (code: 200 | 201): Status => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  code,
});

function withoutEmpty(details: StatusDetails): StatusDetails {
  const { name, group, kind, uid, causes, retryAfterSeconds } = details;
  return {
    ...(name ? { name } : {}),
    ...(group ? { group } : {}),
    ...(kind ? { kind } : {}),
    ...(uid ? { uid } : {}),
    ...(causes !== undefined && causes.length > 0 ? { causes } : {}),
    ...(retryAfterSeconds ? { retryAfterSeconds } : {}),
  };
}
