// One call on a connection: what is still to be sent of it, and what has come. Source: RFC 9113, 5; gRPC over HTTP/2.
import { type AnswerFields, lost, problemOf, WELL } from "../answer-outcome";
import type { GrpcError } from "../transport";
import { FRAME_PREFIX_BYTES, FrameReader, isWholeFrame } from "../wire";
import { REASON } from "./frames";

export interface StreamOwner {
  /** A message, without its frame. */
  message(bytes: Buffer): void;
  /** Once, last. @param problem absent: all went well */
  end(problem: GrpcError | undefined): void;
}

export class Stream {
  /** 0: it waits for another one to end, as the other side takes no more at once. */
  id = 0;
  /** What the other side takes still. */
  sendWindow = 0;
  /** Taken from it and not yet told. */
  taken = 0;
  unsent: Buffer | undefined;
  endsAfterUnsent = false;
  isOver = false;
  private fields: AnswerFields | undefined;
  private reader: FrameReader | undefined;

  /** @param head its header block */
  constructor(
    readonly head: Buffer,
    private readonly owner: StreamOwner,
  ) {}

  /** @throws GrpcError for what is no message */
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

  /** Of its headers or trailers; the last ones tell, and where all went well nothing more is asked of the first. */
  told(fields: AnswerFields): void {
    const { fields: before } = this;
    this.fields = before === undefined || fields.grpcStatus === WELL ? fields : { ...before, ...fields };
  }

  /** The other side has said all. */
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
