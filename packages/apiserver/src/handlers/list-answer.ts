// A list as an answer, in pieces that are written at the pace of the client, so that other requests get their turn in between.
import { once } from "node:events";
import { createGzip } from "node:zlib";
import { answered, headersOf } from "../http/answer";
import { ClientGoneError } from "../http/request-body";
import type { ApiResponse } from "../pipeline/request-context";
import { COMPRESS_FROM_BYTES, COMPRESSION_LEVEL, wantsGzip } from "./compression";
import type { ListAnswer, ListBody, ObjectForm } from "./forms/object-form";

/** What is not larger is written at once, with a known length. */
const WHOLE_MAX_BYTES = 1024 * 1024;

type Pieces = Iterator<Buffer> | AsyncIterator<Buffer>;

/** @throws StatusError NotAcceptable (406), before anything is sent */
export async function answerList(response: ApiResponse, form: ObjectForm, result: ListAnswer): Promise<void> {
  const body = form.list(result);
  const iterator = iteratorOf(body);
  const first: Buffer[] = [];
  let bytes = 0;
  let done = false;
  while (!done && bytes <= WHOLE_MAX_BYTES) {
    const next = await iterator.next();
    if (next.done === true) done = true;
    else {
      first.push(next.value);
      bytes += next.value.length;
    }
  }
  const to = { response, contentType: form.contentType };
  if (bytes > COMPRESS_FROM_BYTES && wantsGzip(response.req)) await answerCompressed(to, all(first, iterator));
  else if (done) answerWhole(to, first, bytes);
  // A length known beforehand spares each piece a frame of its own, and with it one more copy on its way through TLS.
  else await answerStream(to, all(first, iterator), body.bytes?.());
}

function iteratorOf({ pieces }: ListBody): Pieces {
  return Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
}

/** The pieces that are made already, then the others. */
async function* all(first: readonly Buffer[], rest: Pieces): AsyncGenerator<Buffer> {
  yield* first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

interface Target {
  readonly response: ApiResponse;
  readonly contentType: string;
}

function answerWhole({ response, contentType }: Target, parts: readonly Buffer[], bytes: number): void {
  if (answered(response)) return;
  const headers = headersOf(response, contentType);
  headers.push("Content-Length", String(bytes));
  response.req.context.responseBytes = bytes;
  response.writeHead(200, headers);
  response.cork();
  for (const part of parts) response.write(part);
  response.end();
  response.uncork();
}

/** @throws ClientGoneError when the client leaves first */
function drained(response: ApiResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      response.off("drain", settle).off("close", settle);
      if (response.destroyed) reject(new ClientGoneError("the client left before the end of the list"));
      else resolve();
    };
    response.on("drain", settle).on("close", settle);
  });
}

async function answerCompressed({ response, contentType }: Target, parts: AsyncIterable<Buffer>): Promise<void> {
  if (answered(response)) return;
  response.setHeader("Content-Encoding", "gzip");
  response.setHeader("Vary", "Accept-Encoding");
  const gzip = createGzip({ level: COMPRESSION_LEVEL });
  const compressed = answerStream({ response, contentType }, gzip);
  for await (const part of parts) if (!gzip.write(part)) await Promise.race([once(gzip, "drain"), compressed]);
  gzip.end();
  await compressed;
}

/** @param bytes of all parts, where that is known before they are made */
async function answerStream(
  { response, contentType }: Target,
  parts: AsyncIterable<Buffer>,
  bytes?: number | undefined,
): Promise<void> {
  if (answered(response)) return;
  const headers = headersOf(response, contentType);
  if (bytes !== undefined) headers.push("Content-Length", String(bytes));
  response.writeHead(200, headers);
  for await (const part of parts) {
    response.req.context.responseBytes += part.length;
    if (!response.write(part)) await drained(response);
  }
  response.end();
}
