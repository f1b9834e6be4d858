// Pages of a server that are no resources, such as health checks and metrics.
import type { Client, StreamedRequest } from "@orch/client";
import { receivedStatusError } from "@orch/machinery";
import { CliError } from "../../../process/cli-error";

export interface Page {
  readonly status: number;
  readonly text: string;
}

/** Pages are larger only on servers with a great many kinds and clients. */
const PAGE_MAX_BYTES = 256 * 1024 * 1024;

/** Returns a page of any status. @throws ConnectionError, TimeoutError, CliError for an endless page */
export async function readPage(client: Client, request: string | StreamedRequest): Promise<Page> {
  const { status, body } = await client.raw(typeof request === "string" ? { path: request } : request);
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > PAGE_MAX_BYTES) throw new CliError(`the answer is longer than ${PAGE_MAX_BYTES} bytes`);
    pieces.push(piece);
  }
  return { status, text: Buffer.concat(pieces).toString("utf8") };
}

/** Returns the text of a page. @throws StatusError unless its status is 200 */
export async function readText(client: Client, request: string | StreamedRequest): Promise<string> {
  const { status, text } = await readPage(client, request);
  if (status === 200) return text;
  throw receivedStatusError(parsed(text) as never, { code: status, text });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
