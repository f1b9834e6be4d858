// Answers, written straight to the raw response. Each sets the headers that every answer has: a request's id, no caching.
import { routerMethodNotAllowed, StatusError, warningHeaders } from "@orch/machinery";
import { type JsonValue, writeJson } from "@orch/schema";
import type { HttpResponse } from "./exchange";

export const JSON_TYPE = "application/json";
const TEXT_TYPE = "text/plain; charset=utf-8";

const NOT_KEPT = "no-cache, private";

/** Headers as Node's fast path takes them: names and values in turn. */
export function headersOf(response: HttpResponse, contentType: string, cacheControl = NOT_KEPT): string[] {
  const { context } = response.req;
  context.contentType = contentType;
  if (context.warnings !== undefined) response.setHeader("Warning", warningHeaders(context.warnings));
  const headers = ["Audit-Id", context.id, "Cache-Control", cacheControl, "Content-Type", contentType];
  if (context.flowHeaders !== undefined) headers.push(...context.flowHeaders);
  return headers;
}

/** Nothing more can be said: the answer has begun, or the client has left. */
export function answered(response: HttpResponse): boolean {
  const { context, upgraded } = response.req;
  return response.headersSent || response.destroyed || context.end.aborted || upgraded?.isTaken === true;
}

/** One whole answer. */
export function answerBytes(
  response: HttpResponse,
  code: number,
  contentType: string,
  body: Buffer,
  cacheControl?: string,
): void {
  if (answered(response)) return;
  const headers = headersOf(response, contentType, cacheControl);
  // Of what has not changed, the length would have to be that of what is not sent.
  if (code !== 304) headers.push("Content-Length", String(body.length));
  response.writeHead(code, headers);
  sendWhole(response, body);
}

/** Whether the client asks for the head of an answer without its body. */
export const isHeadOnly = ({ req }: HttpResponse): boolean => req.method === "HEAD";

/** The whole body, after the head; no body where only the head was asked for. */
export function sendWhole(response: HttpResponse, body: Buffer): void {
  if (isHeadOnly(response)) {
    response.end();
    return;
  }
  const { context } = response.req;
  context.responseBytes = body.length;
  if (context.tap !== undefined) context.tap.whole(body);
  if (body.length <= PART_BYTES) response.end(body);
  else sendInParts(response, body);
}

const PART_BYTES = 128 * 1024;

/** Each part when the one before has left, so that a client that takes them slowly can be told from one that takes nothing. */
function sendInParts(response: HttpResponse, body: Buffer): void {
  const { context } = response.req;
  let at = 0;
  const sendNext = (error?: Error | null): void => {
    if (error || context.end.aborted) return;
    const part = body.subarray(at, at + PART_BYTES);
    at += part.length;
    context.unsentBytes = body.length - at;
    if (at < body.length) response.write(part, sendNext);
    else response.end(part);
  };
  sendNext();
}

/** Done, and nothing to say. */
export function answerNothing(response: HttpResponse): void {
  if (answered(response)) return;
  const { id, flowHeaders = [] } = response.req.context;
  response.writeHead(204, ["Audit-Id", id, "Cache-Control", NOT_KEPT, ...flowHeaders]);
  response.end();
}

/** Answers 302. The location may depend on what the client accepts, so no cache keeps the answer. */
export function answerRedirect(response: HttpResponse, location: string): void {
  if (answered(response)) return;
  const { id, flowHeaders = [] } = response.req.context;
  const headers = ["Location", location, "Vary", "Accept", "Content-Length", "0"];
  response.writeHead(302, ["Audit-Id", id, "Cache-Control", NOT_KEPT, ...headers, ...flowHeaders]);
  response.end();
}

export function answerJson(response: HttpResponse, code: number, value: unknown, indent = 0): void {
  answerBytes(response, code, JSON_TYPE, Buffer.from(`${writeJson(value as JsonValue, " ".repeat(indent))}\n`));
}

/** Plain text, never to be read as anything else. */
export function answerText(response: HttpResponse, code: number, text: string): void {
  if (answered(response)) return;
  response.setHeader("X-Content-Type-Options", "nosniff");
  answerBytes(response, code, TEXT_TYPE, Buffer.from(text));
}

/** The failure of a request whose method the path does not take; the answer names those that it does. Source: RFC 9110, 15.5.6. */
export function methodNotAllowed(response: HttpResponse, allowed: readonly string[]): StatusError {
  if (!answered(response)) response.setHeader("Allow", allowed.join(", "));
  return routerMethodNotAllowed();
}

/** Of what can only be read. */
export const READING_METHODS: readonly string[] = ["GET", "HEAD"];

/** Whether a failure is the server's own and belongs into its log with its cause. */
export function isInternal(error: unknown): boolean {
  return !(error instanceof StatusError) || error.reason === "InternalError";
}
