// One call on a connection: what is still to be sent of it, and what has come. Source: RFC 9113, 5; gRPC over HTTP/2.
import { GRPC_STATUS, GrpcError } from "../transport";
import { FRAME_PREFIX_BYTES, FrameReader } from "../wire";
import { REASON } from "./frames";
import type { AnswerFields } from "./header-blocks";

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
    if (this.reader === undefined && isWhole(bytes)) {
      this.owner.message(bytes.subarray(FRAME_PREFIX_BYTES));
      return;
    }
    this.reader ??= new FrameReader((message) => {
      if (!this.isOver) this.owner.message(message);
    });
    this.reader.push(bytes);
  }

  /** Of its headers or trailers; the last ones tell. */
  told(fields: AnswerFields): void {
    this.fields = { ...this.fields, ...fields };
  }

  /** The other side has said all. */
  finish(): void {
    this.end(this.outcome());
  }

  reset(reason: number): void {
    const problem = this.fields?.grpcStatus === undefined ? undefined : this.outcome();
    this.end(problem ?? lost(reason !== REASON.refused));
  }

  end(problem: GrpcError | undefined): void {
    if (this.isOver) return;
    this.isOver = true;
    this.unsent = undefined;
    this.owner.end(problem);
  }

  private outcome(): GrpcError | undefined {
    const { httpStatus, grpcStatus, grpcMessage } = this.fields ?? {};
    if (grpcStatus === "0") return undefined;
    if (grpcStatus !== undefined) return new GrpcError(Number(grpcStatus), readable(grpcMessage), true);
    if (httpStatus !== undefined && httpStatus !== "200") {
      return new GrpcError(GRPC_STATUS.unavailable, `the endpoint answers HTTP ${httpStatus}`, false);
    }
    return lost(true);
  }
}

/** @param sent whether the server may have seen the request */
export const lost = (sent: boolean): GrpcError =>
  new GrpcError(GRPC_STATUS.unavailable, "the connection was lost before the answer", sent);

const isWhole = (bytes: Buffer) =>
  bytes.length >= FRAME_PREFIX_BYTES && bytes[0] === 0 && bytes.readUInt32BE(1) === bytes.length - FRAME_PREFIX_BYTES;

/** Messages are percent-encoded where they are not plain text. */
function readable(message = "no message"): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
