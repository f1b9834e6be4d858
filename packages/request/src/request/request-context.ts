// State of one request, shared by the steps of the pipeline. The first step creates the object with all fields, so that
// all contexts have one hidden class.

import type { AnswerTap, Connection, Exchange, HttpRequest, HttpResponse } from "@orch/http-server";
import type { AdmissionTrace, AnnotationLevel, ChangedPaths, Status, StatusError, UserInfo } from "@orch/machinery";
import type { TraceSpan } from "@orch/platform";
import type { Negotiation } from "../representations/content-negotiation";
import { RequestEnd } from "./request-end";
import type { RequestInfo } from "./request-kinds";
import type { AuditAnnotation, SharedAnnotations } from "./shared-annotations";

export interface ApiRequest extends HttpRequest {
  context: RequestContext;
  res?: ApiResponse;
}

export interface ApiResponse extends HttpResponse {
  req: ApiRequest;
}

export type Next = (error?: unknown) => void;
/** A rejected promise is answered as a thrown error. */
export type Middleware = (request: ApiRequest, response: ApiResponse, next: Next) => void | Promise<void>;

/** Metadata of the object in a request body. Members are "" when absent. */
export interface SentObject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

export class RequestContext implements Exchange {
  /** @param cameBy undefined for a request that runs for another thread */
  constructor(
    readonly negotiation: Negotiation,
    private readonly cameBy?: Connection,
  ) {}

  /** Milliseconds of `performance.now()`. After this time a request that is not long-running is answered 504. */
  get deadline(): number {
    return this.end.endsAtMs;
  }

  set deadline(atMs: number) {
    this.end.endsAtMs = atMs;
  }

  get connection(): Connection {
    if (this.cameBy === undefined) throw new Error("the request has no connection");
    return this.cameBy;
  }

  /** Error of the request headers. */
  refusal: StatusError | undefined = undefined;
  /** Request target as in the request line; the router sees only paths. */
  target = "";
  /** The client waits for 100 Continue before it sends the body. */
  awaitsContinue = false;
  /** Value of `Audit-Id`. */
  id = "";
  /** Index in the list of active requests. */
  place = 0;
  /** Milliseconds of `performance.now()`. */
  receivedAt = performance.now();
  /** Milliseconds in a queue of priority and fairness. */
  queuedMs = 0;
  /** Milliseconds for which the event loop has worked for this request, in the sections that are measured. */
  workedMs = 0;
  /** Start of the open section of work; 0: there is none. */
  private workingSince = 0;
  /** The time limit, for the message of the 504. */
  timeoutMs = 0;
  timeoutFromClient = false;
  info: RequestInfo = NO_INFO;
  /** Host and port from the request; "" when it names none. */
  host = "";
  /** Path pattern of a non-resource handler, for metrics. */
  servedPath: string | undefined = undefined;
  /** Metrics label: "", "All" or "invalid". */
  dryRun = "";
  /** A server-side apply, which metrics tell from other patches. */
  applies = false;
  /** An open watch or connection; a shutdown ends it. */
  stream: { end(): void } | undefined = undefined;
  /** The user with whose rights the request runs. */
  user: UserInfo = NOBODY;
  /** The authenticated user when another one is impersonated. */
  impersonator: UserInfo | undefined = undefined;
  /** Verb of the permission by which another user is impersonated; undefined: the verb impersonate. */
  impersonationConstraint: string | undefined = undefined;
  /** Texts of `Warning` headers. */
  warnings: string[] | undefined = undefined;
  /** Audit annotations of the request. */
  auditAnnotations: ReadonlyMap<string, AuditAnnotation> | undefined = undefined;
  /** Shared annotations, when the request has no others. */
  sharedAnnotations: SharedAnnotations | undefined = undefined;
  private ownAnnotations: Map<string, AuditAnnotation> | undefined = undefined;
  /** Audit of this request; undefined when auditing is off. */
  audit: RequestAudit | undefined = undefined;
  /** Audit needs the changed fields. */
  tellsChanges = false;
  changedFields: ChangedPaths | undefined = undefined;
  /** Metadata of the object in the body, for audit. */
  sent: SentObject | undefined = undefined;
  /** Records admission decisions; undefined unless the client asked for an explanation. */
  trace: AdmissionTrace | undefined = undefined;
  /** Span of the request; undefined when tracing is off. */
  span: TraceSpan | undefined = undefined;
  /** Time at which authentication began, for its span; 0 when tracing is off. */
  authenticationMs = 0;
  /** Status of a failed request. */
  failure: Status | undefined = undefined;
  /** Status of a successful request whose answer has no object. */
  success: Status | undefined = undefined;
  tap: AnswerTap | undefined = undefined;
  responseBytes = 0;
  /** Content type of the answer, for metrics. */
  contentType = "";
  /** Whether the answer is indented; see content-negotiation.ts. */
  pretty = false;
  /** Signals that the client has left or the time is up. */
  readonly end = new RequestEnd();
  /** Complete before the handler begins. */
  body: Buffer = NO_BODY;
  /** Memory of the body, counted against the limit for all bodies. */
  bodyBytes = 0;
  /** Time of the last piece of the body while more is expected; otherwise 0. */
  receivingSince = 0;
  /** Flow control headers of the answer, names and values alternating; undefined when there are none. */
  flowHeaders: readonly string[] | undefined = undefined;
  /** Bytes of the answer that are not yet handed to the connection. */
  unsentBytes = 0;
  /** Number of consecutive checks without progress of the client, and the bytes sent at the last check. */
  unreadLooks = 0;
  sentBefore = 0;

  /** Runs a section of work for this request, and measures it. Time after the first wait of a promise is not measured. */
  worked<Result>(act: () => Result): Result {
    // The section belongs to one that is measured already.
    if (this.workingSince !== 0) return act();
    this.startWork();
    try {
      return act();
    } finally {
      this.stopWork();
    }
  }

  /** Starts a section of work, unless one is open. It must be stopped before the next wait. */
  startWork(): void {
    if (this.workingSince === 0) this.workingSince = performance.now();
  }

  stopWork(): void {
    if (this.workingSince === 0) return;
    this.workedMs += performance.now() - this.workingSince;
    this.workingSince = 0;
  }

  /** Releases the place in flight, if there is one. */
  leaveWork(): void {
    this.end.standAside();
  }

  /** Adds an audit annotation. The first value of a key is kept. */
  annotate(key: string, value: string, level: AnnotationLevel = "Metadata"): void {
    if (this.ownAnnotations === undefined) {
      this.ownAnnotations = new Map(this.auditAnnotations);
      this.auditAnnotations = this.ownAnnotations;
      this.sharedAnnotations = undefined;
    }
    if (!this.ownAnnotations.has(key)) this.ownAnnotations.set(key, { value, level });
  }

  /** Adds all annotations. */
  annotateAll(notes: SharedAnnotations): void {
    if (this.auditAnnotations !== undefined) {
      for (const key in notes.shown) this.annotate(key, notes.shown[key] as string);
      return;
    }
    this.auditAnnotations = notes.annotations;
    this.sharedAnnotations = notes;
  }

  warn(text: string): void {
    if (this.warnings === undefined) this.warnings = [text];
    else this.warnings.push(text);
  }
}

/** Audit of one request, as handlers use it. */
export interface RequestAudit {
  /** Keeps the body, which is about to be released. */
  keepBody(body: Buffer): void;
  /** Records an internal error of the server. */
  panicked(): void;
  /** Records that the request is answered or its client has left. */
  ended(): void;
}

const NO_BODY = Buffer.alloc(0);

const NO_INFO: RequestInfo = Object.freeze({
  kind: "path",
  method: "",
  path: "",
  search: "",
  query: undefined,
  authority: undefined,
  verb: "",
  longRunning: false,
  route: undefined,
});

const NOBODY: UserInfo = Object.freeze({ name: "", groups: [] });
