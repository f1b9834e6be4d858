// Body of an HTTP/1.1 response. It may arrive before the caller decides how to read it.
import { Readable } from "node:stream";
import { Pieces } from "./pieces";
import { cutOff, tooLong } from "./read-body";
import type { AnswerBody } from "./transport";

/** Flow control of the connection while the body arrives. */
export interface Flow {
  pause(): void;
  resume(): void;
  destroy(): void;
}

/** Maximum size buffered before the body is read. */
const UNREAD_MAX_BYTES = 64 * 1024;

type State = { readonly is: "coming" } | { readonly is: "complete" } | { readonly is: "lost"; readonly cause: unknown };

interface WholeReader {
  readonly maxBytes: number;
  readonly resolve: (bytes: Buffer) => void;
  readonly reject: (error: Error) => void;
}

export class Http1Body implements AnswerBody {
  private state: State = { is: "coming" };
  private readonly pieces = new Pieces();
  private whole: WholeReader | undefined;
  private streamed: Readable | undefined;

  constructor(private readonly flow: Flow) {}

  bytes(maxBytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.whole = { maxBytes, resolve, reject };
      this.tell(this.whole);
      if (this.state.is === "coming") this.flow.resume();
    });
  }

  stream(): Readable {
    const stream = new Readable({
      read: () => {
        if (this.state.is === "coming") this.flow.resume();
      },
      destroy: (error, done) => {
        if (this.state.is === "coming") this.flow.destroy();
        done(error);
      },
    });
    stream.on("error", () => {}); // reported to the reader; there may be none any more
    this.streamed = stream;
    if (this.pieces.length > 0) stream.push(this.pieces.whole());
    this.close(stream);
    return stream;
  }

  /** Adds a piece. See AnswerSink. */
  add(data: Buffer, start: number, end: number): void {
    if (this.streamed !== undefined) {
      if (!this.streamed.push(Buffer.from(data.subarray(start, end)))) this.flow.pause();
      return;
    }
    this.pieces.add(data, start, end);
    if (this.whole !== undefined) this.tell(this.whole);
    else if (this.pieces.length > UNREAD_MAX_BYTES) this.flow.pause();
  }

  complete(): void {
    this.become({ is: "complete" });
  }

  lose(cause: unknown): void {
    this.become({ is: "lost", cause });
  }

  private become(state: State): void {
    if (this.state.is !== "coming") return;
    this.state = state;
    if (this.whole !== undefined) this.tell(this.whole);
    if (this.streamed !== undefined) this.close(this.streamed);
  }

  private tell({ maxBytes, resolve, reject }: WholeReader): void {
    const { state, pieces, flow } = this;
    if (pieces.length > maxBytes) {
      reject(tooLong(maxBytes));
      if (state.is === "coming") flow.destroy();
    } else if (state.is === "complete") resolve(pieces.whole());
    else if (state.is === "lost") reject(cutOff(state.cause));
  }

  private close(stream: Readable): void {
    const { state } = this;
    if (state.is === "complete") stream.push(null);
    else if (state.is === "lost") stream.destroy(cutOff(state.cause));
  }
}
