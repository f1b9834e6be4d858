// What the steps of the pipeline know of one request. One object, made by the first step with every field in place, so that
// all of them have one shape.
import type { AdmissionTrace, AnnotationLevel, ChangedPaths, Status, StatusError, UserInfo } from "@orch/machinery";
import type { SentObject } from "../audit/audit-event";
import type { Connection } from "../http/connection";
import type { AnswerTap, Exchange, HttpRequest, HttpResponse } from "../http/exchange";
import type { Negotiation } from "../representations/content-negotiation";
import { RequestEnd } from "./request-end";
import type { RequestInfo } from "./request-info";
import type { AuditAnnotation, StandingNotes } from "./standing-notes";

export interface ApiRequest extends HttpRequest {
  context: RequestContext;
  res?: ApiResponse;
}

export interface ApiResponse extends HttpResponse {
  req: ApiRequest;
}

export type Next = (error?: unknown) => void;
/** A promise that fails is answered as what is thrown. */
export type Middleware = (request: ApiRequest, response: ApiResponse, next: Next) => void | Promise<void>;

export class RequestContext implements Exchange {
  /** @param cameBy undefined for one that is carried out for another thread */
  constructor(
    readonly negotiation: Negotiation,
    private readonly cameBy?: Connection,
  ) {}

  /** Milliseconds of `performance.now()`; past it a request that is not long-running is answered 504. */
  get deadline(): number {
    return this.end.endsAtMs;
  }

  set deadline(atMs: number) {
    this.end.endsAtMs = atMs;
  }

  get connection(): Connection {
    if (this.cameBy === undefined) throw new Error("there is no connection to this request");
    return this.cameBy;
  }

  /** What its head alone is refused with. */
  refusal: StatusError | undefined = undefined;
  /** As in the request line; the router is shown paths alone. */
  target = "";
  /** The client waits for a word before it sends the body. */
  awaitsContinue = false;
  /** Echoed as `Audit-Id`. */
  id = "";
  /** Among those that are being answered. */
  place = 0;
  /** Milliseconds of `performance.now()`. */
  receivedAt = performance.now();
  /** What the bound was, for the text of the 504, and who asked for it. */
  timeoutMs = 0;
  timeoutFromClient = false;
  info: RequestInfo = NO_INFO;
  /** Under which name, with its port, the client asks for this server; "" where it does not say. */
  host = "";
  /** The path without variable parts, when one that is no resource answered; for metrics. */
  servedPath: string | undefined = undefined;
  /** As metrics tell it: "", "All" or "invalid". */
  dryRun = "";
  /** Server-side apply, which metrics tell from other patches. */
  applies = false;
  /** An open watch or connection; ended by a shutdown. */
  stream: { end(): void } | undefined = undefined;
  /** As whom it is carried out. */
  user: UserInfo = NOBODY;
  /** Who has asked for that, where it is somebody else. */
  impersonator: UserInfo | undefined = undefined;
  /** Texts for `Warning` headers. */
  warnings: string[] | undefined = undefined;
  /** What audit writes down with the request beside itself. */
  auditAnnotations: ReadonlyMap<string, AuditAnnotation> | undefined = undefined;
  /** Where these are all of them. */
  standingNotes: StandingNotes | undefined = undefined;
  private ownAnnotations: Map<string, AuditAnnotation> | undefined = undefined;
  /** Who writes it down; undefined where nobody does. */
  audit: RequestAudit | undefined = undefined;
  /** Audit wants to know which fields it changes. */
  tellsChanges = false;
  changedFields: ChangedPaths | undefined = undefined;
  /** What the object in its body says of itself, for audit. */
  sent: SentObject | undefined = undefined;
  /** Told what admission decides; undefined: nobody has asked. */
  trace: AdmissionTrace | undefined = undefined;
  /** What it was answered, where it failed. */
  failure: Status | undefined = undefined;
  /** What it was answered, where there was no object to show. */
  success: Status | undefined = undefined;
  tap: AnswerTap | undefined = undefined;
  responseBytes = 0;
  /** Of the answer, for metrics. */
  contentType = "";
  /** Bodies are indented for people; see content-negotiation.ts. */
  pretty = false;
  /** Nobody waits for it any more: for those who work for it. */
  readonly end = new RequestEnd();
  /** Received before the handler begins. */
  body: Buffer = NO_BODY;
  /** Memory that the body takes, of what there is for all bodies. */
  bodyBytes = 0;
  /** When the last piece of the body came, while more is to come; else 0. */
  receivingSince = 0;
  /** Of the answer: names and values, in turn, of headers that say where it was let in; undefined where none do. */
  flowHeaders: readonly string[] | undefined = undefined;
  /** Of the answer: what has not even been handed to the connection. */
  unsentBytes = 0;
  /** How often in a row its client was seen to take nothing of the answer, and how much had been sent when it was last seen. */
  unreadLooks = 0;
  sentBefore = 0;

  /** Gives its place back, if it has one. */
  leaveWork(): void {
    this.end.standAside();
  }

  /** Of two values under one key the first stays. */
  annotate(key: string, value: string, level: AnnotationLevel = "Metadata"): void {
    if (this.ownAnnotations === undefined) {
      this.ownAnnotations = new Map(this.auditAnnotations);
      this.auditAnnotations = this.ownAnnotations;
      this.standingNotes = undefined;
    }
    if (!this.ownAnnotations.has(key)) this.ownAnnotations.set(key, { value, level });
  }

  /** The same as to annotate with each of them. */
  annotateAll(notes: StandingNotes): void {
    if (this.auditAnnotations !== undefined) {
      for (const key in notes.shown) this.annotate(key, notes.shown[key] as string);
      return;
    }
    this.auditAnnotations = notes.annotations;
    this.standingNotes = notes;
  }

  warn(text: string): void {
    if (this.warnings === undefined) this.warnings = [text];
    else this.warnings.push(text);
  }
}

/** An audited request, as those know it who work on it. */
export interface RequestAudit {
  /** It is about to be let go of. */
  keepBody(body: Buffer): void;
  /** The server itself has failed. */
  panicked(): void;
  /** It has been answered, or its client has left. */
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
