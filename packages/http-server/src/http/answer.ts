// Answers, written to the raw response. Each sets the common headers: the request id and no caching.
import { routerMethodNotAllowed, StatusError, warningHeaders } from "@orch/machinery";
import { type JsonValue, writeJson } from "@orch/schema";
import type { HttpResponse } from "./exchange";

export const JSON_TYPE = "application/json";
const TEXT_TYPE = "text/plain; charset=utf-8";

const NOT_KEPT = "no-cache, private";

/** Returns raw headers, names and values in turn, as Node's fast path takes them. */
export function headersOf(response: HttpResponse, contentType: string, cacheControl = NOT_KEPT): string[] {
  const { context } = response.req;
  context.contentType = contentType;
  if (context.warnings !== undefined) response.setHeader("Warning", warningHeaders(context.warnings));
  const headers = ["Audit-Id", context.id, "Cache-Control", cacheControl, "Content-Type", contentType];
  if (context.flowHeaders !== undefined) headers.push(...context.flowHeaders);
  return headers;
}

/** Whether nothing more can be sent: the answer has begun, or the client has left. */
export function answered(response: HttpResponse): boolean {
  const { context, upgraded } = response.req;
  return response.headersSent || response.destroyed || context.end.aborted || upgraded?.isTaken === true;
}

/** Sends one complete answer. */
export function answerBytes(
  response: HttpResponse,
  code: number,
  contentType: string,
  body: Buffer,
  cacheControl?: string,
): void {
  if (answered(response)) return;
  const headers = headersOf(response, contentType, cacheControl);
  // A 304 has no Content-Length: it would be that of the body that is not sent.
  if (code !== 304) headers.push("Content-Length", String(body.length));
  response.writeHead(code, headers);
  sendBody(response, body);
}

/** Whether the request is a HEAD request. */
export const isHeadOnly = ({ req }: HttpResponse): boolean => req.method === "HEAD";

/** Sends the body after the head; no body for a HEAD request. */
export function sendBody(response: HttpResponse, body: Buffer): void {
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

/** Sends each part when the previous one has left, so that a slow client can be told from one that reads nothing. */
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

/** Answers 204 (No Content). */
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

/** Answers plain text that browsers must not interpret otherwise. */
export function answerText(response: HttpResponse, code: number, text: string): void {
  if (answered(response)) return;
  response.setHeader("X-Content-Type-Options", "nosniff");
  answerBytes(response, code, TEXT_TYPE, Buffer.from(text));
}

/**
 * Error for a method that the path does not support; the answer lists those that it does. Source: RFC 9110, section
 * 15.5.6.
 */
export function methodNotAllowed(response: HttpResponse, allowed: readonly string[]): StatusError {
  if (!answered(response)) response.setHeader("Allow", allowed.join(", "));
  return routerMethodNotAllowed();
}

/** Methods of read-only paths. */
export const READING_METHODS: readonly string[] = ["GET", "HEAD"];

/** Whether an error is internal, and is logged with its cause. */
export function isInternal(error: unknown): boolean {
  return !(error instanceof StatusError) || error.reason === "InternalError";
}
