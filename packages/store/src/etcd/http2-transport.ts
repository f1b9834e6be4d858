// gRPC on our own HTTP/2 client, as much of it as etcd needs: a tenth of the CPU of a general client.

import { connect, isIP, type OnReadOpts, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { ClientSession, type StreamEnd, type StreamEvents } from "./http2/client-session";
import { encodeHeaders } from "./http2/header-block";
import type { HeaderField } from "./http2/header-table";
import { KeepAlive } from "./keep-alive";
import { readTlsFiles, type TlsFiles } from "./tls-files";
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
import { FRAME_PREFIX_BYTES, FrameReader } from "./wire";

const READ_BYTES = 64 * 1024;

/** Makes connections by HTTP/2; with `tls`, those to https endpoints use its files. */
export function http2Transport(tls: TlsFiles = {}): Connect {
  return async (endpoint, timeoutMs) => {
    const material = endpoint.tls ? await readTlsFiles(tls) : undefined;
    return new Promise((resolve, reject) => {
      let connection: Http2Connection | undefined;
      const socket = openSocket(endpoint, material, (chunk) => session.receive(chunk));
      const session: ClientSession = new ClientSession(socket, WINDOW_BYTES, {
        greeted: () => {
          clearTimeout(timer);
          connection = new Http2Connection(session, endpoint);
          resolve(connection);
        },
        closed: (error) => {
          clearTimeout(timer);
          connection?.closed();
          reject(error ?? new Error(`${endpoint.url} closed the connection`));
        },
      });
      // A frozen process still accepts TCP connections, by its kernel: only settings from it prove that it is alive.
      const timer = setTimeout(
        () => session.destroy(new Error(`${endpoint.url} does not answer within ${timeoutMs} ms`)),
        timeoutMs,
      );
    });
  };
}

/** @param received its chunk is to be used at once: the next one comes in the same memory */
function openSocket(
  { url }: Endpoint,
  tls: Awaited<ReturnType<typeof readTlsFiles>> | undefined,
  received: (chunk: Buffer) => void,
): Socket {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const onread: OnReadOpts = {
    buffer: Buffer.allocUnsafeSlow(READ_BYTES),
    callback: (bytes, buffer) => {
      received((buffer as Buffer).subarray(0, bytes));
      return true;
    },
  };
  const options = { host, port: Number(port || (protocol === "https:" ? 443 : 80)), noDelay: true, onread };
  if (tls === undefined) return connect(options);
  return connectTls({ ...options, ...tls, servername: isIP(host) === 0 ? host : "", ALPNProtocols: ["h2"] });
}

class Http2Connection implements Connection {
  readonly endpoint: string;
  readonly #session: ClientSession;
  readonly #keepAlive: KeepAlive;
  readonly #common: readonly HeaderField[];
  /** By method: what the header block of a call begins with. */
  readonly #beginnings = new Map<string, Buffer>();
  /** Calls that would rather be made elsewhere than wait here. */
  readonly #repeatable = new Set<UnaryCall>();

  constructor(session: ClientSession, endpoint: Endpoint) {
    this.endpoint = endpoint.url;
    this.#session = session;
    this.#common = [
      { name: ":method", value: "POST" },
      { name: ":scheme", value: endpoint.tls ? "https" : "http" },
      { name: ":authority", value: new URL(endpoint.url).host },
      { name: "content-type", value: "application/grpc" },
      { name: "te", value: "trailers" },
    ];
    this.#keepAlive = new KeepAlive({
      ping: (answered) => session.ping(answered),
      silent: () => {
        for (const call of this.#repeatable) call.fail(GRPC_STATUS.unavailable, `${this.endpoint} is silent`);
      },
      dead: () => session.destroy(new Error(`${this.endpoint} does not answer pings`)),
    });
  }

  get open(): boolean {
    return this.#session.open;
  }

  get silent(): boolean {
    return this.#keepAlive.silent;
  }

  closed(): void {
    this.#keepAlive.stop();
  }

  call(method: string, message: Buffer, bounds: CallBounds): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (!this.open) {
        reject(noMoreCalls(this.endpoint));
        return;
      }
      this.#keepAlive.callBegins();
      const call: UnaryCall = new UnaryCall(this.#session, this.#keepAlive, bounds, (outcome) => {
        this.#keepAlive.callEnds();
        if (bounds.repeatable) this.#repeatable.delete(call);
        if (outcome instanceof GrpcError) reject(outcome);
        else resolve(outcome);
      });
      if (bounds.repeatable) this.#repeatable.add(call);
      call.begin(this.#headers(method, { name: "grpc-timeout", value: `${bounds.timeoutMs}m` }), message);
    });
  }

  stream(method: string, handlers: StreamHandlers): GrpcStream {
    if (!this.open) {
      queueMicrotask(() => handlers.end(noMoreCalls(this.endpoint)));
      return { send: () => {}, close: () => {} };
    }
    const session = this.#session;
    const answers = new StreamOfMessages(handlers, this.#keepAlive, () => session.cancel(stream));
    // A member without a leader then ends the stream instead of keeping quiet.
    const stream = session.request(this.#headers(method, { name: "hasleader", value: "true" }), answers);
    return {
      send: (message) => {
        if (!answers.over) session.write(stream, message);
      },
      close: () => answers.close(),
    };
  }

  probe(): void {
    this.#keepAlive.probe();
  }

  retire(): void {
    this.#session.retire();
  }

  destroy(): void {
    this.#session.destroy();
  }

  #headers(method: string, last: HeaderField): Buffer {
    let beginning = this.#beginnings.get(method);
    if (beginning === undefined) {
      beginning = encodeHeaders([
        ...this.#common.slice(0, 2),
        { name: ":path", value: method },
        ...this.#common.slice(2),
      ]);
      this.#beginnings.set(method, beginning);
    }
    return Buffer.concat([beginning, encodeHeaders([last])]);
  }
}

const noMoreCalls = (endpoint: string) =>
  new GrpcError(GRPC_STATUS.unavailable, `the connection to ${endpoint} takes no more calls`, false);

/** One request and its answer. Settles once: with the answer, with what the server said, or with what happened to the stream. */
class UnaryCall implements StreamEvents {
  readonly #session: ClientSession;
  readonly #keepAlive: KeepAlive;
  readonly #settle: (outcome: Buffer | GrpcError) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = () => this.fail(GRPC_STATUS.cancelled, "the caller gave up");
  readonly #status = new AnswerStatus();
  #stream: ReturnType<ClientSession["request"]> | undefined;
  #reader: FrameReader | undefined;
  #answer: Buffer | undefined;
  #over = false;

  constructor(
    session: ClientSession,
    keepAlive: KeepAlive,
    { timeoutMs, signal }: CallBounds,
    settle: (outcome: Buffer | GrpcError) => void,
  ) {
    this.#session = session;
    this.#keepAlive = keepAlive;
    this.#settle = settle;
    this.#signal = signal;
    this.#timer = setTimeout(
      () => this.fail(GRPC_STATUS.deadlineExceeded, `no answer within ${timeoutMs} ms`),
      timeoutMs,
    );
    signal?.addEventListener("abort", this.#onAbort);
  }

  begin(headers: Buffer, message: Buffer): void {
    this.#stream = this.#session.request(headers, this, { bytes: message, end: true });
  }

  headers(fields: readonly HeaderField[]): void {
    this.#status.note(fields);
  }

  data(bytes: Buffer): void {
    this.#keepAlive.heard();
    // Nearly every answer is one piece.
    if (this.#reader === undefined && isWhole(bytes)) {
      this.#answer = Buffer.from(bytes.subarray(FRAME_PREFIX_BYTES));
      return;
    }
    this.#reader ??= new FrameReader((message) => {
      this.#answer = Buffer.from(message);
    });
    try {
      this.#reader.push(bytes);
    } catch (error) {
      this.#giveUp(error as GrpcError);
    }
  }

  ended(how: StreamEnd): void {
    if (this.#over) return;
    const problem = this.#status.problem(how);
    this.#end(
      problem ?? this.#answer ?? new GrpcError(GRPC_STATUS.internal, "the server answered without a message", true),
    );
  }

  fail(status: number, message: string): void {
    if (!this.#over) this.#giveUp(new GrpcError(status, message, true));
  }

  #giveUp(why: GrpcError): void {
    if (this.#stream !== undefined) this.#session.cancel(this.#stream);
    this.#end(why);
  }

  #end(outcome: Buffer | GrpcError): void {
    this.#over = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#settle(outcome);
  }
}

const isWhole = (bytes: Buffer) =>
  bytes.length >= FRAME_PREFIX_BYTES && bytes[0] === 0 && bytes.readUInt32BE(1) === bytes.length - FRAME_PREFIX_BYTES;

/** The receiving side of a stream that goes on: messages until it ends. */
class StreamOfMessages implements StreamEvents {
  over = false;
  readonly #handlers: StreamHandlers;
  readonly #keepAlive: KeepAlive;
  readonly #cancel: () => void;
  readonly #status = new AnswerStatus();
  readonly #reader = new FrameReader((message) => {
    if (!this.over) this.#handlers.message(message);
  });

  constructor(handlers: StreamHandlers, keepAlive: KeepAlive, cancel: () => void) {
    this.#handlers = handlers;
    this.#keepAlive = keepAlive;
    this.#cancel = cancel;
  }

  headers(fields: readonly HeaderField[]): void {
    this.#status.note(fields);
  }

  data(bytes: Buffer): void {
    this.#keepAlive.heard();
    if (this.over) return;
    try {
      this.#reader.push(bytes);
    } catch (error) {
      this.close();
      this.#handlers.end(error as GrpcError);
    }
  }

  ended(how: StreamEnd): void {
    if (this.over) return;
    this.over = true;
    this.#handlers.end(
      this.#status.problem(how) ?? new GrpcError(GRPC_STATUS.unavailable, "the server ended the stream", true),
    );
  }

  close(): void {
    if (this.over) return;
    this.over = true;
    this.#cancel();
  }
}

/** What a stream's end meant: the server's status from headers or trailers, or else how the stream was cut. */
class AnswerStatus {
  #http: string | undefined;
  #grpc: string | undefined;
  #message: string | undefined;

  /** An answer that is only a status has it in the headers; any other in the trailers. */
  note(fields: readonly HeaderField[]): void {
    for (const { name, value } of fields) {
      if (name === "grpc-status") this.#grpc = value;
      else if (name === "grpc-message") this.#message = value;
      else if (name === ":status") this.#http = value;
    }
  }

  /** @returns undefined when all went well */
  problem(how: StreamEnd): GrpcError | undefined {
    if (this.#grpc === "0") return undefined;
    if (this.#grpc !== undefined) return new GrpcError(Number(this.#grpc), decodeMessage(this.#message), true);
    if (this.#http !== undefined && this.#http !== "200") {
      return new GrpcError(GRPC_STATUS.unavailable, `the endpoint answers HTTP ${this.#http}`, false);
    }
    return new GrpcError(GRPC_STATUS.unavailable, "the connection was lost before the answer", how !== "refused");
  }
}

function decodeMessage(text = "no message"): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
