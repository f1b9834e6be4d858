// The record of one request, as tests read it.

/** Part of the server that refused a request. */
export type Refuser =
  | "authentication"
  | "authorization"
  | "admission"
  | "validation"
  | "conflict"
  | "limits"
  | "server"
  /** The target or the object does not exist, or the request could not be read. */
  | "request";

export interface RecordedRequest {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Name of the user; "" for a request that failed authentication. */
  readonly user: string;
  /** Authorization verb, such as `create` or `watch`. */
  readonly verb: string;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly userAgent: string;
  /** Undefined while the server works on the request. */
  readonly status: number | undefined;
  /** Milliseconds until the answer; undefined before it. */
  readonly durationMs: number | undefined;
  /** Undefined for a request that succeeded or is not answered. */
  readonly refusedBy: Refuser | undefined;
  /** Message of the Status object of a failure. */
  readonly message: string | undefined;
}
