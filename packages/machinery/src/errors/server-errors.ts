// Errors of the server, including refusals under load. Source:
// staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go.

import { type GroupResource, resourceText } from "../names/group-names";
import { formatGoDuration } from "../values/go-duration";
import { type StatusCause, StatusError } from "./status-error";

export const internalError = (text: string, options?: ErrorOptions): StatusError =>
  new StatusError("InternalError", `Internal error occurred: ${text}`, { causes: [{ message: text }] }, options);

/** An error with a message but no reason. */
export const unclassified = (text: string, options?: ErrorOptions): StatusError =>
  new StatusError("", text, undefined, options);

export type ServerOperation = "list" | "get" | "create" | "update" | "delete";

/** ServerTimeout: the store cannot be reached. */
export const serverTimeout = (
  of: GroupResource,
  operation: ServerOperation,
  options: ErrorOptions & { readonly retryAfterSeconds?: number } = {},
): StatusError =>
  new StatusError(
    "ServerTimeout",
    `The ${operation} operation against ${resourceText(of)} could not be completed at this time, please try again.`,
    { name: operation, group: of.group, kind: of.resource, retryAfterSeconds: options.retryAfterSeconds ?? 2 },
    options,
  );

/** Texts of timeouts. Durations in milliseconds. */
export const TIMEOUT_TEXT = {
  requested: (afterMs: number) => `request did not complete within requested timeout ${formatGoDuration(afterMs)}`,
  server: (afterMs: number) => `request did not complete within ${formatGoDuration(afterMs)}`,
  webhooks: () => "request did not complete within requested timeout",
} as const;

/** Timeout: the outcome is unknown; a write may or may not have been stored. */
export const timeout = (text: string, retryAfterSeconds = 0): StatusError =>
  new StatusError("Timeout", `Timeout: ${text}`, { retryAfterSeconds });

export const tooManyRequests = (
  text: string,
  options: { readonly retryAfterSeconds?: number; readonly causes?: readonly StatusCause[] } = {},
): StatusError => new StatusError("TooManyRequests", text, options);

export const serviceUnavailable = (text: string, retryAfterSeconds?: number): StatusError =>
  new StatusError("ServiceUnavailable", text, retryAfterSeconds === undefined ? undefined : { retryAfterSeconds });
