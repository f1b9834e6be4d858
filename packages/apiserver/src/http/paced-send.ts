// Long answers in pieces, at the pace of the client.
import { once } from "node:events";
import type { ApiResponse } from "../pipeline/request-context";
import { ClientGoneError } from "./request-body";

/** A client that takes nothing for so long has gone. */
export const STALL_MS = 60_000;

/** @throws ClientGoneError when the client leaves, or takes nothing any more */
export async function sendPaced(response: ApiResponse, piece: Buffer, stallMs: number): Promise<void> {
  if (response.destroyed) throw new ClientGoneError("the client left before the end of the answer");
  response.req.context.responseBytes += piece.length;
  if (response.write(piece)) {
    // What fits into the socket at once must not keep others from their turn.
    await new Promise(setImmediate);
    return;
  }
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(stallMs)]);
  try {
    await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]);
  } catch {
    throw new ClientGoneError(`the client has taken nothing for ${stallMs} ms`);
  } finally {
    over.abort();
  }
}
