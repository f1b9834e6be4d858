// Error type of every failure that a client sees: a Status with a reason, an HTTP code and details. The files
// *-errors.ts contain the constructors, grouped by cause. Source:
// staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go.

/** HTTP code of each Status reason. */
const CODE = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  Gone: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServerTimeout: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
  // Failures without a reason; their Status has no `reason` member.
  "": 500,
} as const;

export type StatusReason = keyof typeof CODE;

export const isStatusReason = (text: unknown): text is StatusReason =>
  typeof text === "string" && Object.hasOwn(CODE, text);

/** Returns the reason of an HTTP status whose response carries no other information. */
export function reasonOfCode(code: number): StatusReason {
  const known = (Object.keys(CODE) as StatusReason[]).find(
    (reason) => CODE[reason] === code && reason !== "AlreadyExists" && reason !== "Expired",
  );
  return known ?? (code >= 500 ? "InternalError" : "BadRequest");
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  /** Plural resource name; the kind for Invalid. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export class StatusError extends Error {
  override readonly name = "StatusError";
  /** Continue token of a 410 response to a paged list: continues at the latest resource version. */
  readonly continueToken: string | undefined;
  /** Equal to the HTTP status of the response. */
  readonly code: number;
  /** Reason set by another component and unknown to this server; sent to the client instead of `reason`. */
  readonly foreignReason: string | undefined;
  constructor(
    readonly reason: StatusReason,
    message: string,
    readonly details: StatusDetails | undefined = undefined,
    options: ErrorOptions & {
      readonly continueToken?: string;
      readonly code?: number;
      readonly foreignReason?: string;
    } = {},
  ) {
    // Records no stack trace for errors below 500: they are responses, not server failures, and a stack trace is
    // expensive.
    const { stackTraceLimit } = Error;
    if (CODE[reason] < 500) Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = stackTraceLimit;
    this.continueToken = options.continueToken;
    this.code = options.code ?? CODE[reason];
    this.foreignReason = options.foreignReason;
  }
}

export const isReason = (error: unknown, reason: StatusReason): error is StatusError =>
  error instanceof StatusError && error.reason === reason;

/** Compares by HTTP code, for errors received from another server whose reason may be unknown here. */
export const isCode = (error: unknown, ...codes: readonly number[]): error is StatusError =>
  error instanceof StatusError && codes.includes(error.code);
