// A request that failed, in words for people.
import { isRecord } from "../values/api-object";

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface Failure {
  /** HTTP status; 0 when the server gave no answer. */
  readonly code: number;
  /** Reason of the Status object, such as `Forbidden`. */
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly StatusCause[];
  /** Name of the object that the Status is about. */
  readonly objectName?: string;
  readonly retryAfterSeconds?: number;
}

export class ApiFailure extends Error implements Failure {
  readonly code: number;
  readonly reason: string;
  readonly causes: readonly StatusCause[];
  readonly objectName?: string;
  readonly retryAfterSeconds?: number;

  constructor({ code, reason, message, causes, objectName, retryAfterSeconds }: Failure) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.causes = causes;
    if (objectName !== undefined) this.objectName = objectName;
    if (retryAfterSeconds !== undefined) this.retryAfterSeconds = retryAfterSeconds;
  }
}

export const unreachable = (): ApiFailure =>
  new ApiFailure({ code: 0, reason: "Unreachable", message: "The server gave no answer.", causes: [] });

/** Returns the failure that a Status object describes; other answers are described by their HTTP status. */
export function failureOf(code: number, body: unknown, retryAfter?: string | null): ApiFailure {
  const status = isRecord(body) && body["kind"] === "Status" ? body : {};
  const details = isRecord(status["details"]) ? status["details"] : {};
  const seconds = Number(details["retryAfterSeconds"] ?? retryAfter ?? Number.NaN);
  return new ApiFailure({
    code: typeof status["code"] === "number" ? status["code"] : code,
    reason: textOr(status["reason"], REASONS[code] ?? `HTTP ${code}`),
    message: textOr(status["message"], `The server answered ${code}.`),
    causes: Array.isArray(details["causes"]) ? details["causes"].filter(isRecord) : [],
    ...(typeof details["name"] === "string" ? { objectName: details["name"] } : {}),
    ...(Number.isFinite(seconds) ? { retryAfterSeconds: seconds } : {}),
  });
}

/** Returns a failure for anything that was thrown. */
export function asFailure(error: unknown): Failure {
  if (error instanceof ApiFailure) return error;
  const message = error instanceof Error ? error.message : String(error);
  return { code: -1, reason: "Error", message, causes: [] };
}

/** Returns what the user can do about a failure. */
export function remedyOf({ code, reason, causes, retryAfterSeconds }: Failure): string {
  if (hasManagerConflict(causes)) return "Leave the fields as they are, or take them over from their managers.";
  if (code === 409 && reason === "AlreadyExists") return "Choose another name, or edit the object that exists.";
  if (code === 429 && retryAfterSeconds !== undefined)
    return `The server limits requests of this kind. Try again in ${retryAfterSeconds} s.`;
  return REMEDIES[code] ?? (code >= 500 ? "Try again; if it persists, look at the health checks and the log." : "");
}

/** Whether an apply was refused because others manage its fields. Reloading the object does not help then. */
export const hasManagerConflict = (causes: readonly StatusCause[]): boolean =>
  causes.some(({ reason }) => reason === "FieldManagerConflict");

const textOr = (value: unknown, otherwise: string): string =>
  typeof value === "string" && value !== "" ? value : otherwise;

const REASONS: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  410: "Gone",
  429: "TooManyRequests",
  503: "ServiceUnavailable",
};

const REMEDIES: Readonly<Record<number, string>> = {
  0: "The console keeps trying. Check that the server runs, that this machine is online, and that the browser trusts the server's certificate.",
  401: "Sign in again.",
  403: "Ask an administrator for the permission that the message names, or sign in as another user.",
  404: "It may have been deleted, or the server does not serve this resource.",
  409: "The object has changed in the meantime. Load it again and repeat the change.",
  410: "The server no longer has the state that was asked for. Load the page again.",
  422: "Correct the fields that the message names.",
  429: "The server limits requests of this kind. Try again in a moment.",
  503: "The server or a server behind it is starting or stopping. The console keeps trying.",
};
