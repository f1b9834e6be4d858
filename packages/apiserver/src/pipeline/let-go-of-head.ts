// Releases the headers and routing state of long-running requests once their answer has begun: 2 KB for each of
// thousands of watches.
import type { Http2ServerRequest } from "node:http2";
import type { ApiRequest, RequestContext } from "@orch/request";

/** State that the router leaves on a request. */
interface Routed {
  /** A closure over the router's state. */
  next: unknown;
  params: unknown;
  /** The parsed URL, which is made again on demand. */
  _parsedUrl: unknown;
}

/** Headers that the final log line needs; over HTTP/2 the method is a header too. */
const KEPT: ReadonlySet<string> = new Set([":method", "user-agent"]);

/** Call it when the answer has begun. */
export function letGoOfHead(request: ApiRequest): void {
  const { context, headers, rawHeaders } = request;
  Object.assign(request, { next: undefined, params: undefined, _parsedUrl: undefined } satisfies Routed);
  context.info = { ...context.info, query: undefined };
  // Listeners for a time limit that is never set.
  if (request.httpVersionMajor === 2) (request as unknown as Http2ServerRequest).stream.removeAllListeners("timeout");
  // Audit needs the headers at the end.
  if (context.audit !== undefined) return;
  rawHeaders.length = 0;
  for (const name of Object.keys(headers)) if (!KEPT.has(name)) delete headers[name];
}

/**
 * Flattens the request id. Call it before the answer begins: Node.js builds the id from a dozen strings, which the
 * context and the response headers would hold as long as the watch.
 */
export function joinId(context: RequestContext): void {
  context.id = Buffer.from(context.id).toString();
}
