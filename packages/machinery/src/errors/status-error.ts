// Every failure that a client sees: a Status with a machine reason, an HTTP code and details. The files *-errors.ts hold the
// constructors, by what went wrong. Source: facts, errors.json.

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
  // Failures that no reason tells apart; the Status then has none.
  "": 500,
} as const;

export type StatusReason = keyof typeof CODE;

export const isStatusReason = (text: unknown): text is StatusReason =>
  typeof text === "string" && Object.hasOwn(CODE, text);

/** The reason that is meant when an answer tells nothing but its HTTP status. */
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
  /** The resource's plural; the Kind for Invalid. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export class StatusError extends Error {
  override readonly name = "StatusError";
  /** Carried by a 410 while paging: a token that goes on at the latest version. */
  readonly continueToken: string | undefined;
  /** Equal to the HTTP status of the answer. */
  readonly code: number;
  /** A reason that somebody else has given and that means nothing here: clients are told it instead. */
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
    // An answer to a client is no failure of the server: where in the code it was made nobody reads, and to record it costs.
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

/** For errors that another server told: by their HTTP code, for it may know reasons that are not known here. */
export const isCode = (error: unknown, ...codes: readonly number[]): error is StatusError =>
  error instanceof StatusError && codes.includes(error.code);
