// Audit events of a request, as audit backends receive them. Source: Kubernetes documentation, "Auditing";
// staging/src/k8s.io/apiserver/pkg/apis/audit/types.go.
import type { Status, UserInfo } from "@orch/machinery";
import type { RequestInfo, SentObject } from "@orch/request";
import type { JsonValue } from "@orch/schema";

/** In order of time. A request has one of the last two. */
export type AuditStage =
  | "RequestReceived"
  /** The response head of a long-running request, or of an unauthenticated one, was sent. */
  | "ResponseStarted"
  | "ResponseComplete"
  /** The server failed while it handled the request. */
  | "Panic";

export const AUDIT_LEVELS = ["None", "Metadata", "Request", "RequestResponse"] as const;
export type AuditLevel = (typeof AUDIT_LEVELS)[number];
export type AuditedLevel = Exclude<AuditLevel, "None">;

/** Attributes that decide whether a request is audited. */
export interface AuditSubject {
  readonly info: RequestInfo;
  /** Authenticated user; the name is empty for an unauthenticated request. */
  readonly user: UserInfo;
}

export interface AuditedRequest extends AuditSubject {
  /** Value of `Audit-Id`. */
  readonly id: string;
  readonly method: string;
  /** Target of the request line. */
  readonly uri: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Address of the remote end of the connection. */
  readonly address: string;
  /** Milliseconds since 1970, with fractions. */
  readonly receivedAt: number;
  /**
   * A value that one component caches for all events of the request. A map of such values would cost more garbage
   * collection.
   */
  note: { readonly by: object; readonly value: unknown } | undefined;
}

export interface AuditEvent {
  readonly level: AuditedLevel;
  readonly stage: AuditStage;
  /** In the unit of `receivedAt`. */
  readonly stageAt: number;
  readonly request: AuditedRequest;
  /** Impersonated user, if any. */
  readonly impersonated: UserInfo | undefined;
  /** Verb of the permission for constrained impersonation, if it was used. */
  readonly impersonationConstraint?: string | undefined;
  /** Status code of the answer; undefined before it. */
  readonly code: number | undefined;
  /** Status object of an answer without a resource object: every failure, and some successes. */
  readonly status: Status | undefined;
  /** Whether the response head has been sent. */
  readonly answered: boolean;
  /** Message beside the status. */
  readonly remark: string | undefined;
  /** Metadata of the object in the request body, as far as it could be read. */
  readonly sent: SentObject | undefined;
  /** Annotations of this level and below. Frozen when many requests share them. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Body of a resource request, from the level Request on. */
  readonly requestBody: AuditedBody | undefined;
  /** Complete body of a successful answer, at the level RequestResponse. */
  readonly responseBody: AuditedBody | undefined;
  /** Whether a body is missing because it exceeds the limit. */
  readonly isCut: boolean;
  readonly omitManagedFields: boolean;
}

export interface AuditedBody {
  readonly contentType: string;
  /** Bytes as received or sent, possibly compressed. */
  readonly bytes: Buffer;
  /** Whether this server encoded the body, so that its declared content type is right. */
  readonly isOwn: boolean;
  /** Whether the body holds a token, which `value` removes. */
  readonly hidesToken: boolean;
  /** Parses the body. @throws Error when it cannot be read */
  value(): Promise<JsonValue>;
}

/** Audit level and options for one request. */
export interface AuditInterest {
  readonly level: AuditedLevel;
  readonly omits: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

/** An audit consumer: a log or a webhook. */
export interface AuditSink {
  /** Called once for each request, before the request begins. @returns undefined when the request is not audited */
  wants(of: AuditSubject): AuditInterest | undefined;
  /**
   * A request whose RequestReceived event fails (thrown or rejected) is refused; failures at later stages do not change
   * the answer.
   */
  hear(event: AuditEvent): void | Promise<void>;
}
