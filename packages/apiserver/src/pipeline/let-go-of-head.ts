// Of requests whose answers go on for hours there are thousands at a time. Once such an answer has begun, nobody looks any more at how the
// request was routed, nor at what it said beside the name of its client: a third of all the memory that it takes.
import type { Http2ServerRequest } from "node:http2";
import type { ApiRequest, RequestContext } from "./request-context";

/** What the router leaves on a request for others to use. */
interface Routed {
  /** Holds all that the router knew when it passed the request on. */
  next: unknown;
  params: unknown;
  /** Its target, taken apart; made anew for whoever asks. */
  _parsedUrl: unknown;
}

/** What is written to the log when the request is over. */
const KEPT = "user-agent";

/** To be called when it has begun. */
export function letGoOfHead(request: ApiRequest): void {
  const { context, headers, rawHeaders } = request;
  Object.assign(request, { next: undefined, params: undefined, _parsedUrl: undefined } satisfies Routed);
  context.info = { ...context.info, query: undefined };
  // Nobody gives a stream a time limit; that there are listeners for it costs more than the stream.
  if (request.httpVersionMajor === 2) (request as unknown as Http2ServerRequest).stream.removeAllListeners("timeout");
  // Audit shows more of them at the end.
  if (context.audit !== undefined) return;
  rawHeaders.length = 0;
  for (const name of Object.keys(headers)) if (name !== KEPT) delete headers[name];
}

/** To be called before it begins: the run time makes an id of a dozen strings, which this and the head of the answer would hold for as long. */
export function joinId(context: RequestContext): void {
  context.id = Buffer.from(context.id).toString();
}
