// Unary gRPC calls over a Unix socket. Each call fails within its timeout, and the call after a failed connection
// connects again. Source: "gRPC over HTTP2" of the gRPC documentation.
import { type ClientHttp2Session, connect as connectHttp2, constants } from "node:http2";
import { connect as connectSocket } from "node:net";

/** A failed call. */
export class CallError extends Error {
  override readonly name = "CallError";
  /**
   * @param isUnreachable whether no answer arrived, so that the call may be repeated
   * @param code name of the gRPC status
   */
  constructor(
    message: string,
    readonly isUnreachable: boolean,
    readonly code: string,
  ) {
    super(message);
  }
}

/** The default limit of gRPC clients. */
const ANSWER_MAX_BYTES = 4 * 1024 * 1024;
/** One byte "not compressed" and four bytes of length before each message. */
const PREFIX_BYTES = 5;
const OK = "0";
/** Names of the status codes in their order. Source: "Status codes and their use in gRPC" of the gRPC documentation. */
const STATUS_NAMES: readonly string[] = [
  ...["OK", "Canceled", "Unknown", "InvalidArgument", "DeadlineExceeded", "NotFound", "AlreadyExists"],
  ...["PermissionDenied", "ResourceExhausted", "FailedPrecondition", "Aborted", "OutOfRange", "Unimplemented"],
  ...["Internal", "Unavailable", "DataLoss", "Unauthenticated"],
];

export class UnaryChannel {
  private session: ClientHttp2Session | undefined;

  /** @param socket path of the socket; `@name` for an abstract one */
  constructor(private readonly socket: string) {}

  /** @param path `/package.Service/Method` @throws CallError */
  call(path: string, message: Buffer, timeoutMs: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const stream = this.connected().request({
        [constants.HTTP2_HEADER_METHOD]: "POST",
        [constants.HTTP2_HEADER_PATH]: path,
        [constants.HTTP2_HEADER_AUTHORITY]: "localhost",
        [constants.HTTP2_HEADER_CONTENT_TYPE]: "application/grpc",
        [constants.HTTP2_HEADER_TE]: "trailers",
        "grpc-timeout": `${timeoutMs}m`,
      });
      const pieces: Buffer[] = [];
      let bytes = 0;
      let status: string | undefined;
      let text = "";
      const fail = (why: string, isUnreachable: boolean, code = isUnreachable ? "Unavailable" : "Internal"): void => {
        clearTimeout(timer);
        reject(new CallError(why, isUnreachable, code));
        stream.destroy();
      };
      const timer = setTimeout(() => fail(`no answer within ${timeoutMs} ms`, true, "DeadlineExceeded"), timeoutMs);
      const readStatus = (headers: Readonly<Record<string, unknown>>): void => {
        if (headers["grpc-status"] === undefined) return;
        status = String(headers["grpc-status"]);
        text = decoded(String(headers["grpc-message"] ?? ""));
      };
      stream.on("response", readStatus);
      stream.on("trailers", readStatus);
      stream.on("data", (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > ANSWER_MAX_BYTES) fail(`its answer exceeds ${ANSWER_MAX_BYTES} bytes`, false, "ResourceExhausted");
        else pieces.push(piece);
      });
      stream.on("error", (error: Error) => fail(error.message, true));
      stream.on("close", () => {
        if (status === undefined) return fail("the connection ended before the answer", true);
        if (status !== OK) return fail(`status ${status}: ${text}`, false, STATUS_NAMES[Number(status)] ?? "Unknown");
        clearTimeout(timer);
        const body = Buffer.concat(pieces);
        if (body.length < PREFIX_BYTES || body[0] !== 0 || body.readUInt32BE(1) !== body.length - PREFIX_BYTES)
          return fail("its answer is not one uncompressed message", false);
        resolve(body.subarray(PREFIX_BYTES));
      });
      const prefix = Buffer.alloc(PREFIX_BYTES);
      prefix.writeUInt32BE(message.length, 1);
      stream.end(Buffer.concat([prefix, message]));
    });
  }

  close(): void {
    this.session?.destroy();
    this.session = undefined;
  }

  private connected(): ClientHttp2Session {
    if (this.session !== undefined && !this.session.closed && !this.session.destroyed) return this.session;
    const path = this.socket.replace(/^@/, "\0");
    const session = connectHttp2("http://localhost", { createConnection: () => connectSocket(path) });
    const forget = (): void => {
      if (this.session === session) this.session = undefined;
    };
    // Streams of the session receive the error too.
    session.on("error", forget);
    session.on("goaway", forget);
    session.on("close", forget);
    session.unref();
    this.session = session;
    return session;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
