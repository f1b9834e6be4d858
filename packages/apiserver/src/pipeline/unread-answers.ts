// Answers that their clients do not read. Each holds memory here: it is broken off when nothing of it is taken for a while, and all
// together, as those of one connection, are bounded in bytes; where they are too many, those who hold most go first.
import { constants, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { Connection } from "../http/connection";
import type { ApiRequest, ApiResponse } from "./request-context";

/** Looks at which a client was seen to take nothing: after so many its request is no work any more, */
const LOOKS_UNTIL_NO_WORK = 2;
/** and after so many it is over. Answers go out in parts of at most 128 KiB, of which one must leave in this time: 20 s. */
const LOOKS_UNTIL_OVER = 80;

export interface UnreadBounds {
  /** Bytes of answers, and of bodies that nobody reads, which clients keep waiting. */
  readonly ofAll: number;
  readonly ofConnection: number;
}

const BOUNDS: UnreadBounds = { ofAll: 256 * 1024 * 1024, ofConnection: 96 * 1024 * 1024 };

export class UnreadAnswers {
  private readonly held = new Map<Connection, number>();
  /** At the last look. */
  bytes = 0;

  /** @param aborted told of each answer that is broken off */
  constructor(
    private readonly aborted: (response: ApiResponse) => void,
    private readonly bounds = BOUNDS,
  ) {}

  /** Before a look at all requests. */
  begin(): void {
    this.held.clear();
    this.bytes = 0;
  }

  /** @param timed whether it must be read in time: a stream may pause for as long as it likes, which costs what a pipe holds */
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

  /** After all have been looked at. */
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

/** Of the body: what has come in, and nobody reads. */
function unreadOf(request: ApiRequest): number {
  return "stream" in request
    ? (request as unknown as Http2ServerRequest).stream.readableLength + request.readableLength
    : request.readableLength;
}

/** Of an HTTP/2 connection's streams this one alone ends. */
function cutOff(response: ApiResponse): void {
  if ("stream" in response) (response as unknown as Http2ServerResponse).stream.close(constants.NGHTTP2_CANCEL);
  else response.destroy();
}
