// What the steps of the pipeline know of one request. One object, made by the first step with every field in place, so that
// all of them have one shape.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { UserInfo } from "@orch/machinery";
import type { ResourceRoute } from "../handlers/resource-route";
import type { WarningTexts } from "../http/warnings";
import type { RequestInfo } from "./request-info";

/** Requests and responses of both protocols, as the pipeline uses them: HTTP/2's have the same face. */
export interface ApiRequest extends IncomingMessage {
  context: RequestContext;
  res?: ApiResponse;
}

export interface ApiResponse extends ServerResponse<IncomingMessage> {
  req: ApiRequest;
}

export type Next = (error?: unknown) => void;
export type Middleware = (request: ApiRequest, response: ApiResponse, next: Next) => void;

export class RequestContext {
  /** Echoed as `Audit-Id`. */
  id = "";
  /** Milliseconds of `performance.now()`. */
  receivedAt = 0;
  /** Of the same clock; past it a request that is not long-running is answered 504. */
  deadline = 0;
  /** What the bound is called in the 504, such as `1m0s`. */
  deadlineText = "";
  deadlineFrom: "server" | "client" = "server";
  info: RequestInfo = NO_INFO;
  /** Of a resource that is served; set before authorization. */
  route: ResourceRoute | undefined = undefined;
  user: UserInfo = NOBODY;
  warnings: WarningTexts | undefined = undefined;
  responseBytes = 0;
  /** Counted among the requests in flight as this kind. */
  flight: "none" | "readOnly" | "mutating" = "none";
}

export const NO_INFO: RequestInfo = Object.freeze({
  isResource: false,
  path: "",
  query: undefined,
  verb: "",
  group: "",
  version: "",
  namespace: "",
  resource: "",
  subresource: "",
  name: "",
  tail: "",
  longRunning: false,
  failure: undefined,
});

export const NOBODY: UserInfo = Object.freeze({ name: "", groups: [] });
