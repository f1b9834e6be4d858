// Answers with a list in pieces, at the pace of the client, so that other requests get their turn in between.

import { createGzip, type Gzip } from "node:zlib";
import { answered, COMPRESS_FROM_BYTES, COMPRESSION_LEVEL, headersOf, isHeadOnly, wantsGzip } from "@orch/http-server";
import { ClientGoneError } from "@orch/platform";
import { EventLoopYielder } from "@orch/registry";
import {
  type ApiResponse,
  type ListAnswer,
  type ObjectForm,
  PIECE_BYTES,
  type PiecePool,
  PieceWriter,
  type RequestContext,
  type SendPiece,
} from "@orch/request";

/** Buffers and turns of the event loop for encoding lists. */
export interface ListMeans {
  readonly pieces: PiecePool;
  readonly loop: EventLoopYielder;
}

/**
 * Resolves when the whole list is sent.
 * @throws ClientGoneError when the client leaves first
 */
export async function answerList(
  response: ApiResponse,
  form: ObjectForm,
  result: ListAnswer,
  { pieces, loop }: ListMeans,
): Promise<void> {
  const { context } = response.req;
  const send = pieceSender(
    response,
    form.contentType,
    (bytes, last) => out.bytesInAll ?? (last ? bytes.length : undefined),
  );
  const out = new PieceWriter(pieces, send, new MeasuredTurns(loop, context));
  const waiting = form.prepare(result.entries);
  if (waiting !== undefined) await waiting;
  context.startWork();
  try {
    await form.list(result, out);
    await out.end();
  } finally {
    context.stopWork();
  }
}

/**
 * Returns a function that sends an answer in pieces, with the head before the first one. The time of sending is not
 * counted as work of the request.
 * @param bytesInAll returns the size of the answer, from the first piece; undefined: not known
 */
export function pieceSender(
  response: ApiResponse,
  contentType: string,
  bytesInAll: (...first: Parameters<SendPiece>) => number | undefined,
): SendPiece {
  const { context } = response.req;
  let answer: SentList | undefined;
  return async (bytes, last) => {
    answer ??= begin(response, contentType, bytesInAll(bytes, last));
    const sent = last ? answer.end(bytes) : answer.write(bytes);
    context.stopWork();
    await sent;
    context.startWork();
  };
}

/** Turns of the event loop for the work of one request, whose time is not counted while it waits. */
export class MeasuredTurns extends EventLoopYielder {
  constructor(
    private readonly shared: EventLoopYielder,
    private readonly context: RequestContext,
  ) {
    super();
  }

  override get isOver(): boolean {
    return this.shared.isOver;
  }

  override isOverAfter(steps: number): boolean {
    return this.shared.isOverAfter(steps);
  }

  override get nowMs(): number {
    return this.shared.nowMs;
  }

  override async next(): Promise<void> {
    this.context.stopWork();
    await this.shared.next();
    this.context.startWork();
  }
}

/** An answer whose head has been sent. Both methods settle as SendPiece does. */
interface SentList {
  write(bytes: Buffer): Promise<void>;
  end(bytes: Buffer): Promise<void>;
}

/** @param bytesInAll undefined: unknown, but more than one piece */
function begin(response: ApiResponse, contentType: string, bytesInAll: number | undefined): SentList {
  if (answered(response)) throw new ClientGoneError("the request for the list ended");
  const compressed = (bytesInAll ?? PIECE_BYTES + 1) > COMPRESS_FROM_BYTES && wantsGzip(response.req);
  if (compressed) {
    response.setHeader("Content-Encoding", "gzip");
    response.setHeader("Vary", "Accept-Encoding");
  }
  const headers = headersOf(response, contentType);
  // A known length avoids a chunk frame per piece, and with it a copy on the way through TLS.
  if (bytesInAll !== undefined && !compressed) headers.push("Content-Length", String(bytesInAll));
  response.writeHead(200, headers);
  if (isHeadOnly(response)) {
    response.end();
    return HEAD_ONLY;
  }
  return compressed ? new CompressedList(response) : new PlainList(response);
}

/** Drops the pieces of a list for a HEAD request. */
const HEAD_ONLY: SentList = { write: () => Promise.resolve(), end: () => Promise.resolve() };

class PlainList implements SentList {
  constructor(private readonly response: ApiResponse) {}

  write(bytes: Buffer): Promise<void> {
    const { response } = this;
    const { context } = response.req;
    context.responseBytes += bytes.length;
    if (context.tap !== undefined) context.tap.piece(bytes);
    return written(response, (done) => response.write(bytes, done));
  }

  async end(bytes: Buffer): Promise<void> {
    const { response } = this;
    // The rest is sent together; in a small list also with the head.
    response.cork();
    const sent = this.write(bytes);
    response.end();
    response.uncork();
    await sent;
  }
}

class CompressedList implements SentList {
  private readonly gzip: Gzip = createGzip({ level: COMPRESSION_LEVEL });
  private readonly sent: Promise<void>;

  constructor(response: ApiResponse) {
    this.sent = this.pass(new PlainList(response));
    this.sent.catch(() => this.gzip.destroy());
  }

  async write(bytes: Buffer): Promise<void> {
    const taken = new Promise<void>((resolve, reject) =>
      this.gzip.write(bytes, (error) => (error ? reject(error) : resolve())),
    );
    await Promise.race([taken, this.sent]);
  }

  async end(bytes: Buffer): Promise<void> {
    await this.write(bytes);
    this.gzip.end();
    await this.sent;
  }

  private async pass(list: PlainList): Promise<void> {
    for await (const bytes of this.gzip) await list.write(bytes as Buffer);
    await list.end(NOTHING);
  }
}

const NOTHING = Buffer.alloc(0);

/** @throws ClientGoneError when the client leaves first */
function written(response: ApiResponse, write: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(new ClientGoneError("the client disconnected before the end of the list"));
    response.once("close", gone);
    write((error) => {
      response.off("close", gone);
      if (error) gone();
      else resolve();
    });
  });
}
