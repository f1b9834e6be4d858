// What the steps of the pipeline know of one request. One object, made by the first step with every field in place, so that
// all of them have one shape.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { UserInfo } from "@orch/machinery";
import type { Negotiation } from "../handlers/content-negotiation";
import type { UpgradedConnection } from "../http/upgrade-requests";
import type { RequestInfo } from "./request-info";

/** Requests and responses of both protocols, as the pipeline uses them: HTTP/2's have the same face. */
export interface ApiRequest extends IncomingMessage {
  context: RequestContext;
  /** Set when the client asks to speak another protocol from here on. */
  upgraded?: UpgradedConnection;
  res?: ApiResponse;
}

export interface ApiResponse extends ServerResponse<IncomingMessage> {
  req: ApiRequest;
}

export type Next = (error?: unknown) => void;
export type Middleware = (request: ApiRequest, response: ApiResponse, next: Next) => void;

export class RequestContext {
  constructor(readonly negotiation: Negotiation) {}

  /** Echoed as `Audit-Id`. */
  id = "";
  /** Milliseconds of `performance.now()`. */
  receivedAt = 0;
  /** Of the same clock; past it a request that is not long-running is answered 504. */
  deadline = 0;
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
  user: UserInfo = NOBODY;
  /** Texts for `Warning` headers. */
  warnings: string[] | undefined = undefined;
  /** What audit writes down with the request beside itself. */
  auditAnnotations: Map<string, string> | undefined = undefined;
  /** Of the request, once it has been read. */
  body: Buffer | undefined = undefined;
  responseBytes = 0;
  /** Of the answer, for metrics. */
  contentType = "";
  /** Bodies are indented for people; see content-negotiation.ts. */
  pretty = false;
  /** Counted among the requests in flight as this kind. */
  flight: "readOnly" | "mutating" = "readOnly";

  annotate(key: string, value: string): void {
    this.auditAnnotations ??= new Map();
    this.auditAnnotations.set(key, value);
  }

  warn(text: string): void {
    if (this.warnings === undefined) this.warnings = [text];
    else this.warnings.push(text);
  }
}

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
