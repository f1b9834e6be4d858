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
} as const;

export type StatusReason = keyof typeof CODE;

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
  constructor(
    readonly reason: StatusReason,
    message: string,
    readonly details: StatusDetails | undefined = undefined,
    options: ErrorOptions & { readonly continueToken?: string } = {},
  ) {
    super(message, options);
    this.continueToken = options.continueToken;
  }
  get code(): number {
    return CODE[this.reason];
  }
}
