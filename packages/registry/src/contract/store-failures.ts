// Maps store errors to Status errors. Source: Kubernetes API conventions, "HTTP Status codes".

import {
  EXPIRED_TEXT,
  expired,
  type GroupResource,
  internalError,
  requestEntityTooLarge,
  type ServerOperation,
  serverTimeout,
  serviceUnavailable,
  timeout,
  tooLargeResourceVersion,
} from "@orch/machinery";
import { StoreError } from "@orch/store";

/** Maps the error of a read. A failed read has changed nothing, so most errors ask the client to try again. */
export function readFailure(of: GroupResource, operation: ServerOperation, error: unknown, revision = 0): unknown {
  if (!(error instanceof StoreError)) return error;
  switch (error.code) {
    case "compacted":
      return expired(EXPIRED_TEXT.list());
    case "futureRevision":
      return tooLargeResourceVersion({ requested: revision, current: 0 }, 0);
    case "unavailable":
    case "unknownOutcome":
    case "full":
    case "restored":
      return serverTimeout(of, operation, { cause: error });
    case "cancelled":
      return timeout("the request was canceled", 0);
    case "closed":
      return serviceUnavailable("the server is shutting down", 1);
    case "tooLarge":
    case "leaseNotFound":
    case "internal":
      return internalError(error.message, { cause: error });
  }
}

/**
 * Maps the error of a write. A write with an unknown outcome is reported neither as a success nor as a certain failure.
 */
export function writeFailure(of: GroupResource, operation: ServerOperation, error: unknown): unknown {
  if (!(error instanceof StoreError)) return error;
  switch (error.code) {
    case "unavailable":
    case "restored":
      return serverTimeout(of, operation, { cause: error });
    case "unknownOutcome":
    case "cancelled":
      return timeout("the store did not answer in time; the write may or may not have been committed", 1);
    case "tooLarge":
      return requestEntityTooLarge("the object is larger than the store accepts");
    case "full":
      return internalError(`the store is full and rejects writes: ${error.message}`, { cause: error });
    case "closed":
      return serviceUnavailable("the server is shutting down", 1);
    case "compacted":
    case "futureRevision":
    case "leaseNotFound":
    case "internal":
      return internalError(error.message, { cause: error });
  }
}
