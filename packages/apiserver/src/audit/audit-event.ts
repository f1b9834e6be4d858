// What those who keep the audit are told of a request. Source: facts, http.md "Audit".
import type { Status, UserInfo } from "@orch/machinery";
import type { JsonValue } from "@orch/schema";
import type { RequestInfo } from "../pipeline/request-info";

/** In the order in which they come; of the last two there is one. */
export type AuditStage =
  | "RequestReceived"
  /** The head of the answer to a long-running request, or to one of nobody known. */
  | "ResponseStarted"
  | "ResponseComplete"
  /** The server itself has failed. */
  | "Panic";

export const AUDIT_LEVELS = ["None", "Metadata", "Request", "RequestResponse"] as const;
export type AuditLevel = (typeof AUDIT_LEVELS)[number];
export type AuditedLevel = Exclude<AuditLevel, "None">;

/** By what it is decided whether a request is audited. */
export interface AuditSubject {
  readonly info: RequestInfo;
  /** As authenticated; without a name where nobody is known. */
  readonly user: UserInfo;
}

export interface AuditedRequest extends AuditSubject {
  /** As in `Audit-Id`. */
  readonly id: string;
  readonly method: string;
  /** As in the request line. */
  readonly uri: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Of the connection's other end. */
  readonly address: string;
  /** Milliseconds since 1970, with parts of them. */
  readonly receivedAt: number;
  /** What somebody has made of it once for all its events. A map of such would cost the collector more than it saves. */
  note: { readonly by: object; readonly value: unknown } | undefined;
}

export interface AuditEvent {
  readonly level: AuditedLevel;
  readonly stage: AuditStage;
  /** As `receivedAt`. */
  readonly stageAt: number;
  readonly request: AuditedRequest;
  /** As whom it was carried out, where that is somebody else. */
  readonly impersonated: UserInfo | undefined;
  /** Of the answer; undefined before it. */
  readonly code: number | undefined;
  /** What was answered where it was no object: every failure, and some that went well. */
  readonly status: Status | undefined;
  /** Whether its head has been sent. */
  readonly answered: boolean;
  /** What is to be said of it beside its status. */
  readonly remark: string | undefined;
  /** What the object that was sent says of itself, as far as it could be read. */
  readonly sent: SentObject | undefined;
  /** Of this level and below. Frozen where many requests have the same. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Of a request for a resource, from the level Request on. */
  readonly requestBody: AuditedBody | undefined;
  /** Of a whole answer that is no failure, at the level RequestResponse. */
  readonly responseBody: AuditedBody | undefined;
  /** A body that would be here was more than is kept. */
  readonly isCut: boolean;
  readonly omitManagedFields: boolean;
}

/** "" where it says nothing. */
export interface SentObject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

export interface AuditedBody {
  readonly contentType: string;
  /** As received or sent: may be compressed. */
  readonly bytes: Buffer;
  /** This server has made it: what says it is JSON is JSON. */
  readonly isOwn: boolean;
  /** There is a token in it, which is nobody's to keep: `value` leaves it out. */
  readonly hidesToken: boolean;
  /** What it says, worked out for who asks. @throws Error where it cannot be read */
  value(): Promise<JsonValue>;
}

/** What is wanted of a request. */
export interface AuditInterest {
  readonly level: AuditedLevel;
  readonly omits: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

/** Who keeps the audit: a log, a webhook. */
export interface AuditSink {
  /** Asked once for each request, before it is begun. @returns undefined: nothing is wanted of it */
  wants(of: AuditSubject): AuditInterest | undefined;
  /** A request whose reception cannot be told (what is thrown, or rejected) is refused; later stages are past refusing. */
  hear(event: AuditEvent): void | Promise<void>;
}
