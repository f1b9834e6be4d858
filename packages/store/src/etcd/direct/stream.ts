// The state of one call on a connection: the unsent part of the request and the received part of the answer. Source:
// RFC 9113, section 5; gRPC over HTTP/2.
import { type AnswerFields, GRPC_OK, lost, problemOf } from "../answer-outcome";
import type { GrpcError } from "../transport";
import { FRAME_PREFIX_BYTES, FrameReader, isWholeFrame } from "../wire";
import { REASON } from "./frames";

export interface StreamOwner {
  /** Receives a message, without its gRPC frame. */
  message(bytes: Buffer): void;
  /** Called once, last. @param problem absent: the call was successful */
  end(problem: GrpcError | undefined): void;
}

export class Stream {
  /** 0: queued until another stream ends, because of the peer's limit of concurrent streams. */
  id = 0;
  /** Number of bytes that the peer still accepts. */
  sendWindow = 0;
  /** Number of received bytes not yet credited to the peer. */
  taken = 0;
  /** Whether received bytes are credited when they have been processed, and not on their arrival. */
  isPaced = false;
  unsent: Buffer | undefined;
  endsAfterUnsent = false;
  isOver = false;
  private fields: AnswerFields | undefined;
  private reader: FrameReader | undefined;

  /** @param head the header block of the request */
  constructor(
    readonly head: Buffer,
    private readonly owner: StreamOwner,
  ) {}

  /** @throws GrpcError for invalid data */
  data(bytes: Buffer): void {
    if (this.isOver || bytes.length === 0) return;
    // Nearly every answer is one frame.
    if (this.reader === undefined && isWholeFrame(bytes)) {
      this.owner.message(bytes.subarray(FRAME_PREFIX_BYTES));
      return;
    }
    this.reader ??= new FrameReader((message) => {
      if (!this.isOver) this.owner.message(message);
    });
    this.reader.push(bytes);
  }

  /**
   * Receives the fields of the headers or trailers. The trailers decide; after a successful status the headers are not
   * needed.
   */
  told(fields: AnswerFields): void {
    const { fields: before } = this;
    this.fields = before === undefined || fields.grpcStatus === GRPC_OK ? fields : { ...before, ...fields };
  }

  /** The peer has ended the stream. */
  finish(): void {
    this.end(problemOf(this.fields ?? {}, true));
  }

  reset(reason: number): void {
    const sent = reason !== REASON.refused;
    const problem = this.fields?.grpcStatus === undefined ? undefined : problemOf(this.fields, sent);
    this.end(problem ?? lost(sent));
  }

  end(problem: GrpcError | undefined): void {
    if (this.isOver) return;
    this.isOver = true;
    this.unsent = undefined;
    this.owner.end(problem);
  }
}
