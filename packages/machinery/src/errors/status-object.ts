// The Status object: body of every failure, and of deletions that return no object. Source:
// staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go.
import { internalError } from "./server-errors";
import { type StatusDetails, StatusError } from "./status-error";

export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: { readonly continue?: string };
  readonly status: "Success" | "Failure";
  readonly message?: string;
  /** A `StatusReason`, or a reason set by another component. */
  readonly reason?: string;
  readonly details?: StatusDetails;
  /** Equal to the HTTP status of the response; absent in the response of a deletion. */
  readonly code?: number;
}

export interface FailureStatus extends Status {
  readonly code: number;
}

/** Converts a thrown value to a Status. Anything other than a StatusError becomes a 500 without internal details. */
export function toStatus(error: unknown): FailureStatus {
  const { reason, foreignReason, message, details, code, continueToken } =
    error instanceof StatusError
      ? error
      : internalError("the server failed to handle the request; see the server's log");
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

/**
 * Response of a deletion that does not return the object.
 * @param details details of the removed object; `kind` is the plural resource name
 */
export const deletedStatus = (details: StatusDetails): Status => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  details: withoutEmpty(details),
});

/** Response of an operation that creates nothing to return, such as a binding or an eviction. */
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
