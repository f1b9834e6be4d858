// Records the last requests of a server. It listens as an audit backend does, so that it sees what was decided.
import type { AuditEvent, AuditInterest, AuditSink } from "@orch/audit";
import type { RecordedRequest } from "./recorded-request";
import { refuserOf } from "./refuser";

/** Number of requests that the log keeps. */
const KEPT_REQUESTS = 1000;

const INTEREST: AuditInterest = { level: "Metadata", omits: new Set(), omitManagedFields: true };
const CHANGES = new Set(["POST", "PUT", "PATCH", "DELETE"]);

export class RequestLog implements AuditSink {
  /** Requests by audit id, in order of arrival. */
  private readonly requests = new Map<string, RecordedRequest>();
  /** Audit ids of changes that the server works on, with the functions to call at their end. */
  private readonly changes = new Map<string, (() => void)[]>();

  private noticed: (() => void) | undefined;

  /** @param isOwn tells requests of the server's own controllers, which are not recorded, by the user agent */
  constructor(private readonly isOwn: (userAgent: string) => boolean) {}

  /** Returns the recorded requests, oldest first. */
  get all(): readonly RecordedRequest[] {
    return [...this.requests.values()];
  }

  clear(): void {
    this.requests.clear();
  }

  /** Calls a function once, when the next change of a client arrives. Replaces the function of an earlier call. */
  beforeChange(notice: () => void): void {
    this.noticed = notice;
  }

  /** Resolves when the changes that the server works on now are answered. */
  async changesAnswered(): Promise<void> {
    await Promise.all([...this.changes.values()].map((waiting) => new Promise<void>((done) => waiting.push(done))));
  }

  wants(): AuditInterest {
    return INTEREST;
  }

  hear(event: AuditEvent): void {
    const { request, stage } = event;
    const { id, method } = request;
    if (CHANGES.has(method)) this.followChange(id, stage);
    const userAgent = [request.headers["user-agent"] ?? ""].flat().join();
    if (this.isOwn(userAgent)) return;
    if (CHANGES.has(method)) this.notice();
    this.requests.set(id, recorded(event, userAgent));
    if (this.requests.size <= KEPT_REQUESTS) return;
    const [oldest] = this.requests.keys();
    if (oldest !== undefined) this.requests.delete(oldest);
  }

  private notice(): void {
    const { noticed } = this;
    this.noticed = undefined;
    noticed?.();
  }

  private followChange(id: string, stage: AuditEvent["stage"]): void {
    if (stage === "RequestReceived") this.changes.set(id, []);
    if (stage !== "ResponseComplete" && stage !== "Panic") return;
    const waiting = this.changes.get(id) ?? [];
    this.changes.delete(id);
    for (const done of waiting) done();
  }
}

function recorded(event: AuditEvent, userAgent: string): RecordedRequest {
  const { request, code, status, stageAt, impersonated } = event;
  return {
    at: request.receivedAt,
    user: (impersonated ?? request.user).name,
    verb: request.info.verb,
    method: request.method,
    path: request.uri,
    userAgent,
    status: code,
    durationMs: code === undefined ? undefined : stageAt - request.receivedAt,
    refusedBy: refuserOf(event),
    message: code !== undefined && code >= 400 ? status?.message : undefined,
  };
}
