// A list as an answer: the stored bytes of its items joined, never an array of objects. What is large is written piece by piece, at
// the pace of the client, so that other requests get their turn in between.
import { once } from "node:events";
import { createGzip } from "node:zlib";
import type { ServedVersion } from "@orch/machinery";
import { itemsLength, type ListResult, writeItems } from "@orch/registry";
import { answered, headersOf, JSON_TYPE } from "../http/answer";
import { ClientGoneError } from "../http/request-body";
import type { ApiResponse } from "../pipeline/request-context";
import { COMPRESS_FROM_BYTES, COMPRESSION_LEVEL, wantsGzip } from "./compression";

/** A list's result, and whether the client asked for a part of it. */
export type ListAnswer = ListResult & { readonly chunked: boolean };

export async function answerList(
  response: ApiResponse,
  version: ServedVersion,
  listKind: string,
  result: ListAnswer,
): Promise<void> {
  if (response.req.context.pretty) {
    await answerStream(response, indentedPieces(version, listKind, result));
    return;
  }
  const head = Buffer.from(listHead(version, listKind, result));
  const items = writeItems(result.entries, version);
  const first = items.next();
  const second = first.done === true ? first : items.next();
  const firstPiece = first.done === true ? NOTHING : first.value;
  if (firstPiece.length > COMPRESS_FROM_BYTES && wantsGzip(response.req)) {
    await answerCompressed(response, pieces(head, firstPiece, second, items));
  } else if (second.done === true) {
    answerWhole(response, [head, firstPiece, TAIL]);
  } else {
    // A length known beforehand spares each piece a frame of its own, and with it one more copy on its way through TLS.
    const bytes = head.length + itemsLength(result.entries, version) + TAIL.length;
    await answerStream(response, pieces(head, firstPiece, second, items), bytes);
  }
}

const NOTHING = Buffer.alloc(0);
const TAIL = Buffer.from("]}\n");

function listHead(version: ServedVersion, listKind: string, result: ListAnswer): string {
  return (
    `{"kind":${JSON.stringify(listKind)},"apiVersion":${JSON.stringify(version.apiVersion)},` +
    `"metadata":${JSON.stringify(listMetadata(result))},"items":[`
  );
}

/** The last of several chunks says so by an empty token. Source: resource-api, "Collection". */
function listMetadata(result: ListAnswer): object {
  const { resourceVersion, continueToken, remainingItemCount } = result;
  return {
    resourceVersion: String(resourceVersion),
    ...(result.chunked ? { continue: continueToken } : {}),
    ...(remainingItemCount !== undefined && continueToken !== "" ? { remainingItemCount } : {}),
  };
}

/** The whole text, the pieces that are made already first. */
function* pieces(
  head: Buffer,
  first: Buffer,
  second: IteratorResult<Buffer, void>,
  rest: Iterable<Buffer>,
): Generator<Buffer> {
  yield head;
  yield first;
  if (second.done !== true) yield second.value;
  yield* rest;
  yield TAIL;
}

/** What is small enough to be written at once has a known length. */
function answerWhole(response: ApiResponse, parts: readonly Buffer[]): void {
  if (answered(response)) return;
  let bytes = 0;
  for (const part of parts) bytes += part.length;
  const headers = headersOf(response, JSON_TYPE);
  headers.push("Content-Length", String(bytes));
  response.req.context.responseBytes = bytes;
  response.writeHead(200, headers);
  response.cork();
  for (const part of parts) response.write(part);
  response.end();
  response.uncork();
}

/** @throws ClientGoneError when the client leaves first */
async function drained(response: ApiResponse): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  try {
    await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]);
  } finally {
    over.abort();
  }
  if (response.destroyed) throw new ClientGoneError("the client left before the end of the list");
}

async function answerCompressed(response: ApiResponse, parts: Iterable<Buffer>): Promise<void> {
  if (answered(response)) return;
  response.setHeader("Content-Encoding", "gzip");
  response.setHeader("Vary", "Accept-Encoding");
  const gzip = createGzip({ level: COMPRESSION_LEVEL });
  const compressed = answerStream(response, gzip);
  for (const part of parts) if (!gzip.write(part)) await Promise.race([once(gzip, "drain"), compressed]);
  gzip.end();
  await compressed;
}

/** @param bytes of all parts, where that is known before they are made */
async function answerStream(
  response: ApiResponse,
  parts: AsyncIterable<Buffer> | Iterable<Buffer>,
  bytes?: number,
): Promise<void> {
  if (answered(response)) return;
  const headers = headersOf(response, JSON_TYPE);
  if (bytes !== undefined) headers.push("Content-Length", String(bytes));
  response.writeHead(200, headers);
  for await (const part of parts) {
    response.req.context.responseBytes += part.length;
    if (!response.write(part)) await drained(response);
  }
  response.end();
}

const ITEMS_BETWEEN_PAUSES = 100;

/** For people: slower, an item at a time, with pauses for the other requests. */
async function* indentedPieces(version: ServedVersion, listKind: string, result: ListAnswer): AsyncGenerator<Buffer> {
  const { entries } = result;
  const metadata = JSON.stringify(listMetadata(result), undefined, 2).replaceAll("\n", "\n  ");
  let text =
    `{\n  "kind": ${JSON.stringify(listKind)},\n  "apiVersion": ${JSON.stringify(version.apiVersion)},\n` +
    `  "metadata": ${metadata},\n  "items": [`;
  for (let at = 0; at < entries.length; at += 1) {
    const item: unknown = JSON.parse(entries[at]?.item(version).toString() ?? "null");
    text += `${at === 0 ? "" : ","}\n    ${JSON.stringify(item, undefined, 2).replaceAll("\n", "\n    ")}`;
    if (at % ITEMS_BETWEEN_PAUSES === ITEMS_BETWEEN_PAUSES - 1) {
      yield Buffer.from(text);
      text = "";
      await new Promise(setImmediate);
    }
  }
  yield Buffer.from(`${text}${entries.length === 0 ? "" : "\n  "}]\n}\n`);
}
