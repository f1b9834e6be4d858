// Sends long answers in pieces, at the pace of the client.

import { once } from "node:events";
import { ClientGoneError } from "@orch/platform";
import type { ApiResponse } from "../request/request-context";

/** A client that reads nothing for this time counts as gone. */
export const STALL_MS = 60_000;

/** @throws ClientGoneError when the client leaves or stops reading */
export async function sendPaced(response: ApiResponse, piece: Buffer, stallMs: number): Promise<void> {
  if (response.destroyed) throw new ClientGoneError("the client disconnected before the end of the answer");
  response.req.context.responseBytes += piece.length;
  if (response.write(piece)) {
    // Yields even when the socket takes everything at once, so that other requests get their turn.
    await new Promise(setImmediate);
    return;
  }
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(stallMs)]);
  try {
    await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]);
  } catch {
    throw new ClientGoneError(`the client has read nothing for ${stallMs} ms`);
  } finally {
    over.abort();
  }
}
