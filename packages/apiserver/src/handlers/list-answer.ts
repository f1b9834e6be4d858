// A list as an answer: the stored bytes of its items joined, never an array of objects. What is large is written piece by piece, at
// the pace of the client, so that other requests get their turn in between.
import { once } from "node:events";
import { createGzip } from "node:zlib";
import type { ServedVersion } from "@orch/machinery";
import type { ListResult } from "@orch/registry";
import { answerBytes, answered, headersOf, JSON_TYPE } from "../http/answer";
import { ClientGoneError } from "../http/request-body";
import type { ApiResponse } from "../pipeline/request-context";
import { COMPRESS_FROM_BYTES, COMPRESSION_LEVEL, wantsGzip } from "./compression";

/** Joined into one buffer at a time. */
const PIECE_BYTES = 256 * 1024;

/** A list's result, and whether the client asked for a part of it. */
export type ListAnswer = ListResult & { readonly chunked: boolean };

export async function answerList(
  response: ApiResponse,
  version: ServedVersion,
  listKind: string,
  result: ListAnswer,
): Promise<void> {
  if (response.req.context.pretty) {
    await answerIndented(response, version, listKind, result);
    return;
  }
  const items = new Array<Buffer>(result.entries.length);
  let bytes = 0;
  for (let at = 0; at < items.length; at += 1) {
    const item = result.entries[at]?.item(version) as Buffer;
    items[at] = item;
    bytes += item.length + 1;
  }
  const head = Buffer.from(listHead(version, listKind, result));
  bytes += head.length + TAIL.length - (items.length === 0 ? 0 : 1);
  if (bytes > COMPRESS_FROM_BYTES && wantsGzip(response.req)) {
    await answerCompressed(response, pieces(head, items, bytes));
  } else if (bytes <= PIECE_BYTES) {
    for (const whole of pieces(head, items, bytes)) answerBytes(response, 200, JSON_TYPE, whole);
  } else {
    const headers = headersOf(response, JSON_TYPE);
    headers.push("Content-Length", String(bytes));
    await answerPieces(response, headers, pieces(head, items, bytes));
  }
}

const TAIL = Buffer.from("]}\n");
const COMMA = 0x2c;

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

/** The whole text, in buffers of at most PIECE_BYTES unless one item is larger. @param bytes of all of it */
function* pieces(head: Buffer, items: readonly Buffer[], bytes: number): Generator<Buffer> {
  let left = bytes;
  let piece = Buffer.allocUnsafe(Math.min(left, PIECE_BYTES));
  let filled = head.copy(piece);
  for (let at = 0; at <= items.length; at += 1) {
    const item = items[at] ?? TAIL;
    const comma = at < items.length - 1 ? 1 : 0;
    if (filled + item.length + comma > piece.length) {
      yield piece.subarray(0, filled);
      left -= filled;
      piece = Buffer.allocUnsafe(Math.min(left, Math.max(PIECE_BYTES, item.length + comma)));
      filled = 0;
    }
    filled += item.copy(piece, filled);
    if (comma === 1) piece[filled++] = COMMA;
  }
  yield piece.subarray(0, filled);
}

async function answerPieces(response: ApiResponse, headers: string[], parts: Iterable<Buffer>): Promise<void> {
  if (answered(response)) return;
  response.writeHead(200, headers);
  for (const part of parts) {
    response.req.context.responseBytes += part.length;
    if (!response.write(part)) await drained(response);
  }
  response.end();
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

async function answerStream(response: ApiResponse, parts: AsyncIterable<Buffer>): Promise<void> {
  response.writeHead(200, headersOf(response, JSON_TYPE));
  for await (const part of parts) {
    response.req.context.responseBytes += part.length;
    if (!response.write(part)) await drained(response);
  }
  response.end();
}

/** For people: slower, an item at a time, with pauses for the other requests. */
async function answerIndented(
  response: ApiResponse,
  version: ServedVersion,
  listKind: string,
  result: ListAnswer,
): Promise<void> {
  await answerStream(response, indentedPieces(version, listKind, result));
}

const ITEMS_BETWEEN_PAUSES = 100;

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
