// Bounds the memory of answers that clients do not read. An answer without progress for a while is cut off. The total,
// and the total per connection, are bounded in bytes; beyond the bound the largest answers are cut off first.
import { constants, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { Connection } from "@orch/http-server";
import type { ApiRequest, ApiResponse } from "@orch/request";

/** After this number of checks without progress a request does not count as work any more. */
const LOOKS_UNTIL_NO_WORK = 2;
/**
 * After this number the answer is cut off. Answers are sent in parts of at most 128 KiB, of which one must leave in
 * this time: 20 s.
 */
const LOOKS_UNTIL_OVER = 80;

interface UnreadBounds {
  /** Maximum number of unsent bytes of answers and unread bytes of bodies. */
  readonly ofAll: number;
  readonly ofConnection: number;
}

const BOUNDS: UnreadBounds = { ofAll: 256 * 1024 * 1024, ofConnection: 96 * 1024 * 1024 };

export class UnreadAnswers {
  private readonly held = new Map<Connection, number>();
  /** Total at the last check. */
  bytes = 0;

  /** @param aborted called for each answer that is cut off */
  constructor(
    private readonly aborted: (response: ApiResponse) => void,
    private readonly bounds = BOUNDS,
  ) {}

  /** Begins a check of all requests. */
  begin(): void {
    this.held.clear();
    this.bytes = 0;
  }

  /**
   * Checks one request.
   * @param timed whether reading must make progress: a stream may pause without limit, at the cost of the bytes in its
   * pipe
   */
  look(response: ApiResponse, timed: boolean): void {
    const { context } = response.req;
    const bytes = response.writableLength + context.unsentBytes + unreadOf(response.req);
    const sent = context.responseBytes - context.unsentBytes;
    if (bytes === 0 || sent !== context.sentBefore) {
      context.sentBefore = sent;
      context.unreadLooks = 0;
      return;
    }
    context.unreadLooks += 1;
    this.bytes += bytes;
    this.held.set(context.connection, (this.held.get(context.connection) ?? 0) + bytes);
    if (!timed || !response.headersSent) return;
    if (context.unreadLooks === LOOKS_UNTIL_NO_WORK) context.leaveWork();
    else if (context.unreadLooks === LOOKS_UNTIL_OVER) {
      this.aborted(response);
      cutOff(response);
    }
  }

  /** Ends a check of all requests. */
  end(): void {
    const { ofAll, ofConnection } = this.bounds;
    if (this.held.size === 0) return;
    for (const [connection, bytes] of this.held) if (bytes > ofConnection) this.drop(connection, bytes);
    if (this.bytes <= ofAll) return;
    const greediest = [...this.held].sort(([, one], [, other]) => other - one);
    for (const [connection, bytes] of greediest) {
      if (this.bytes <= ofAll) return;
      this.drop(connection, bytes);
    }
  }

  private drop(connection: Connection, bytes: number): void {
    connection.close("unread");
    this.held.delete(connection);
    this.bytes -= bytes;
  }
}

/** Bytes of the body that have arrived and are not read. */
function unreadOf(request: ApiRequest): number {
  return "stream" in request
    ? (request as unknown as Http2ServerRequest).stream.readableLength + request.readableLength
    : request.readableLength;
}

/** Cuts off one answer. The other streams of an HTTP/2 connection continue. */
function cutOff(response: ApiResponse): void {
  if ("stream" in response) (response as unknown as Http2ServerResponse).stream.close(constants.NGHTTP2_CANCEL);
  else response.destroy();
}
