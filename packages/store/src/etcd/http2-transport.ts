// gRPC on node:http2, limited to the features that etcd needs: a third of the CPU time of a general client.

import http2 from "node:http2";
import type { EndSignal } from "@orch/platform";
import { problemOf } from "./answer-outcome";
import { KeepAlive } from "./keep-alive";
import { readTlsFiles, type TlsFiles, type TlsSource } from "./tls-files";
import {
  type CallBounds,
  type Connect,
  type Connection,
  type Endpoint,
  GRPC_STATUS,
  GrpcError,
  type GrpcStream,
  type StreamHandlers,
  WINDOW_BYTES,
} from "./transport";
import { FRAME_PREFIX_BYTES, FrameReader, isWholeFrame } from "./wire";

const { NGHTTP2_CANCEL, NGHTTP2_REFUSED_STREAM } = http2.constants;
/** Session memory limit. Node.js refuses streams beyond it; large ranges in parallel reach the default. */
const SESSION_MEMORY_MB = 1024;
const COMMON_HEADERS = { ":method": "POST", "content-type": "application/grpc", te: "trailers" } as const;

/** Returns a connector over HTTP/2. Connections to https endpoints use the files of `tls`. */
export function http2Transport(tls: TlsFiles | TlsSource = {}): Connect {
  return async (endpoint, timeoutMs) => {
    const session = http2.connect(endpoint.url, {
      settings: { enablePush: false, initialWindowSize: WINDOW_BYTES },
      maxSessionMemory: SESSION_MEMORY_MB,
      ...(endpoint.tls && { ...(await readTlsFiles(tls)), ALPNProtocols: ["h2"] }),
    });
    await greeted(session, endpoint, timeoutMs);
    session.setLocalWindowSize(WINDOW_BYTES);
    return new Http2Connection(session, endpoint);
  };
}

/**
 * Waits for the HTTP/2 settings of the server. The kernel accepts TCP connections even for a frozen process, so only
 * the settings prove that it is alive.
 */
function greeted(session: http2.ClientHttp2Session, endpoint: Endpoint, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => session.destroy(new Error(`${endpoint.url} does not answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    session.once("error", reject);
    session.once("close", () => {
      clearTimeout(timer);
      reject(new Error(`${endpoint.url} closed the connection`));
    });
    session.once("remoteSettings", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

class Http2Connection implements Connection {
  readonly endpoint: string;
  private readonly session: http2.ClientHttp2Session;
  private readonly keepAlive: KeepAlive;
  /** Calls that can be made at another endpoint instead of waiting here. */
  private readonly repeatable = new Set<UnaryCall>();
  private isOpen = true;

  constructor(session: http2.ClientHttp2Session, endpoint: Endpoint) {
    this.endpoint = endpoint.url;
    this.session = session;
    this.keepAlive = new KeepAlive({
      ping: (answered) => {
        if (!session.destroyed) session.ping((error) => error === null && answered());
      },
      silent: () => {
        for (const call of this.repeatable) call.fail(GRPC_STATUS.unavailable, `${this.endpoint} sends no data`);
      },
      dead: () => session.destroy(new Error(`${this.endpoint} does not answer pings`)),
    });
    // Each stream reports the end of the session itself.
    session.on("error", () => {});
    session.on("goaway", () => {
      this.isOpen = false;
    });
    session.on("close", () => {
      this.isOpen = false;
      this.keepAlive.stop();
    });
  }

  get open(): boolean {
    return this.isOpen && !this.session.closed && !this.session.destroyed;
  }

  get silent(): boolean {
    return this.keepAlive.silent;
  }

  call(method: string, message: Buffer, bounds: CallBounds): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const stream = this.request({
        ":path": method,
        "grpc-timeout": `${Math.ceil(bounds.timeoutMs)}m`,
        ...COMMON_HEADERS,
      });
      if (stream instanceof GrpcError) {
        reject(stream);
        return;
      }
      this.keepAlive.callBegins();
      const call = new UnaryCall(stream, this.keepAlive, bounds, (outcome) => {
        this.keepAlive.callEnds();
        if (bounds.repeatable) this.repeatable.delete(call);
        if (outcome instanceof GrpcError) reject(outcome);
        else resolve(outcome);
      });
      if (bounds.repeatable) this.repeatable.add(call);
      stream.end(message);
    });
  }

  stream(method: string, handlers: StreamHandlers): GrpcStream {
    // A member without a leader then ends the stream instead of staying silent.
    const stream = this.request({ ":path": method, hasleader: "true", ...COMMON_HEADERS });
    if (stream instanceof GrpcError) {
      queueMicrotask(() => handlers.end(stream));
      return { send: () => {}, close: () => {} };
    }
    let over = false;
    const reader = new FrameReader((bytes) => {
      if (!over) handlers.message(bytes);
    });
    const status = new StatusReader(stream);
    stream.on("data", (chunk: Buffer) => {
      this.keepAlive.heard();
      if (over) return;
      try {
        reader.push(chunk);
      } catch (error) {
        over = true;
        stream.close(NGHTTP2_CANCEL);
        handlers.end(error as GrpcError);
      }
    });
    stream.on("error", () => {});
    stream.on("close", () => {
      if (over) return;
      over = true;
      handlers.end(status.outcome() ?? new GrpcError(GRPC_STATUS.unavailable, "the server ended the stream", true));
    });
    return {
      send: (message) => {
        if (!over) stream.write(message);
      },
      close: () => {
        over = true;
        stream.close(NGHTTP2_CANCEL);
      },
    };
  }

  probe(): void {
    this.keepAlive.probe();
  }

  retire(): void {
    this.isOpen = false;
    if (!this.session.destroyed) this.session.close();
  }

  destroy(): void {
    this.isOpen = false;
    this.session.destroy();
  }

  private request(headers: http2.OutgoingHttpHeaders): http2.ClientHttp2Stream | GrpcError {
    try {
      return this.session.request(headers);
    } catch (error) {
      this.isOpen = false;
      return new GrpcError(GRPC_STATUS.unavailable, (error as Error).message, false);
    }
  }
}

/**
 * One request and its answer. Settles once: with the answer, with the server's status, or with the failure of the
 * stream.
 */
class UnaryCall {
  private readonly stream: http2.ClientHttp2Stream;
  private readonly status: StatusReader;
  private readonly settle: (outcome: Buffer | GrpcError) => void;
  private readonly timer: NodeJS.Timeout;
  private readonly signal: EndSignal | undefined;
  private readonly onAbort = () => this.fail(GRPC_STATUS.cancelled, "canceled by the caller");
  private answer: Buffer | undefined;
  private over = false;

  constructor(
    stream: http2.ClientHttp2Stream,
    keepAlive: KeepAlive,
    { timeoutMs, signal }: CallBounds,
    settle: (outcome: Buffer | GrpcError) => void,
  ) {
    this.stream = stream;
    this.settle = settle;
    this.signal = signal;
    this.status = new StatusReader(stream);
    this.timer = setTimeout(
      () => this.fail(GRPC_STATUS.deadlineExceeded, `no answer within ${timeoutMs} ms`),
      timeoutMs,
    );
    signal?.addEventListener("abort", this.onAbort);
    let reader: FrameReader | undefined;
    stream.on("data", (chunk: Buffer) => {
      keepAlive.heard();
      // Nearly every answer is one chunk.
      if (reader === undefined && isWholeFrame(chunk)) this.answer = chunk.subarray(FRAME_PREFIX_BYTES);
      else {
        reader ??= new FrameReader((message) => {
          this.answer = message;
        });
        this.read(reader, chunk);
      }
    });
    stream.on("error", () => {});
    stream.on("end", () => this.finish());
    stream.on("close", () => this.finish());
  }

  private read(reader: FrameReader, chunk: Buffer): void {
    if (this.over) return;
    try {
      reader.push(chunk);
    } catch (error) {
      this.end(error as GrpcError);
      this.stream.close(NGHTTP2_CANCEL);
    }
  }

  fail(status: number, message: string): void {
    if (this.over) return;
    this.end(new GrpcError(status, message, true));
    this.stream.close(NGHTTP2_CANCEL);
  }

  private finish(): void {
    if (this.over) return;
    const problem = this.status.outcome();
    this.end(
      problem ?? this.answer ?? new GrpcError(GRPC_STATUS.internal, "the server answered without a message", true),
    );
  }

  private end(outcome: Buffer | GrpcError): void {
    this.over = true;
    clearTimeout(this.timer);
    this.signal?.removeEventListener("abort", this.onAbort);
    this.settle(outcome);
  }
}

/**
 * Collects the outcome of a stream: the server's status from headers or trailers, otherwise the way in which the stream
 * ended.
 */
class StatusReader {
  private readonly stream: http2.ClientHttp2Stream;
  private headers: (http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader) | undefined;
  private trailers: http2.IncomingHttpHeaders | undefined;

  constructor(stream: http2.ClientHttp2Stream) {
    this.stream = stream;
    stream.on("response", (headers) => {
      this.headers = headers;
    });
    stream.on("trailers", (trailers) => {
      this.trailers = trailers;
    });
  }

  /** @returns undefined for a successful call */
  outcome(): GrpcError | undefined {
    // An answer without a body has its status in the headers.
    const from = this.trailers ?? this.headers;
    const { rstCode, id } = this.stream;
    const sent = id !== undefined && rstCode !== NGHTTP2_REFUSED_STREAM;
    const fields = {
      httpStatus: textOf(this.headers?.[":status"]),
      grpcStatus: textOf(from?.["grpc-status"]),
      grpcMessage: textOf(from?.["grpc-message"]),
    };
    return problemOf(fields, sent);
  }
}

const textOf = (value: number | string | string[] | undefined): string | undefined =>
  value === undefined ? undefined : String(value);
