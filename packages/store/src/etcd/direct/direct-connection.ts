// gRPC calls on one HTTP/2 connection to an etcd member. Source: gRPC over HTTP/2, "Requests" and "Responses".
import type { Socket } from "node:net";
import { lost } from "../answer-outcome";
import { KeepAlive } from "../keep-alive";
import {
  type CallBounds,
  type Connection,
  type Endpoint,
  GRPC_STATUS,
  GrpcError,
  type GrpcStream,
  type StreamHandlers,
  type StreamOptions,
} from "../transport";
import { FRAME_PREFIX_BYTES } from "../wire";
import { FrameChannel } from "./frame-channel";
import { REASON } from "./frames";
import { fieldBlock, requestBlock } from "./header-blocks";
import type { Stream } from "./stream";

export class DirectConnection implements Connection {
  readonly endpoint: string;
  private readonly channel: FrameChannel;
  private readonly keepAlive: KeepAlive;
  /** Calls that can be made at another endpoint instead of waiting here. */
  private readonly repeatable = new Set<Stream>();
  private readonly blocks = new Map<string, Buffer>();
  /**
   * Header blocks of unary calls with the timeout of the last call: nearly all calls of a method have the same timeout.
   */
  private readonly bounded = new Map<string, { readonly timeoutMs: number; readonly block: Buffer }>();
  private readonly authority: string;

  constructor(
    socket: Socket,
    private readonly of: Endpoint,
  ) {
    this.endpoint = of.url;
    this.authority = new URL(of.url).host;
    this.keepAlive = new KeepAlive({
      ping: (answered) => this.channel.ping(answered),
      silent: () => {
        const problem = new GrpcError(GRPC_STATUS.unavailable, `${this.endpoint} sends no data`, true);
        for (const stream of this.repeatable) this.channel.cancel(stream, problem);
      },
      dead: () => this.channel.destroy(new Error(`${this.endpoint} does not answer pings`)),
    });
    this.channel = new FrameChannel(socket, {
      heard: () => this.keepAlive.heard(),
      closed: () => this.keepAlive.stop(),
    });
  }

  /** Resolves once the peer has proved that it is alive. @throws Error when the connection is lost before */
  get settingsReceived(): Promise<void> {
    return this.channel.settingsReceived;
  }

  get open(): boolean {
    return this.channel.isOpen;
  }

  get silent(): boolean {
    return this.keepAlive.silent;
  }

  call(method: string, message: Buffer, bounds: CallBounds): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      let answer: Buffer | undefined;
      const timer = setTimeout(
        () => giveUp(GRPC_STATUS.deadlineExceeded, `no answer within ${bounds.timeoutMs} ms`),
        bounds.timeoutMs,
      );
      const aborted = () => giveUp(GRPC_STATUS.cancelled, "canceled by the caller");
      const stream = this.channel.begin(this.headOf(method, bounds), {
        message: (bytes) => {
          answer = bytes;
        },
        end: (problem) => {
          clearTimeout(timer);
          bounds.signal?.removeEventListener("abort", aborted);
          this.keepAlive.callEnds();
          if (bounds.repeatable && stream !== undefined) this.repeatable.delete(stream);
          if (problem !== undefined) reject(problem);
          else if (answer !== undefined) resolve(answer);
          else reject(new GrpcError(GRPC_STATUS.internal, "the server answered without a message", true));
        },
      });
      if (stream === undefined) {
        clearTimeout(timer);
        reject(lost(false));
        return;
      }
      const giveUp = (status: number, why: string) => this.channel.cancel(stream, new GrpcError(status, why, true));
      this.keepAlive.callBegins();
      if (bounds.repeatable) this.repeatable.add(stream);
      bounds.signal?.addEventListener("abort", aborted);
      this.channel.send(stream, message, true);
    });
  }

  stream(method: string, handlers: StreamHandlers, { isPaced = false }: StreamOptions = {}): GrpcStream {
    // A member without a leader then ends the stream instead of staying silent.
    const head = Buffer.concat([this.blockOf(method), fieldBlock("hasleader", "true")]);
    const stream = this.channel.begin(head, {
      message: (bytes) => handlers.message(bytes),
      end: (problem) => {
        if (problem === undefined && handlers.completed !== undefined) handlers.completed();
        else handlers.end(problem ?? new GrpcError(GRPC_STATUS.unavailable, "the server ended the stream", true));
      },
    });
    if (stream === undefined) {
      queueMicrotask(() => handlers.end(lost(false)));
      return { send() {}, processed() {}, close() {} };
    }
    stream.isPaced = isPaced;
    return {
      send: (message, isLast = false) => {
        if (!stream.isOver) this.channel.send(stream, message, isLast);
      },
      processed: (bytes) => this.channel.processed(stream, FRAME_PREFIX_BYTES + bytes),
      close: () => {
        if (stream.isOver) return;
        stream.isOver = true;
        this.channel.forget(stream, REASON.cancel);
      },
    };
  }

  probe(): void {
    this.keepAlive.probe();
  }

  retire(): void {
    this.channel.retire();
  }

  destroy(): void {
    this.channel.destroy(new Error("the connection was released"));
  }

  private headOf(method: string, { timeoutMs, headers }: CallBounds): Buffer {
    const block = this.boundedBlockOf(method, timeoutMs);
    if (headers === undefined) return block;
    return Buffer.concat([block, ...Object.entries(headers).map(([name, value]) => fieldBlock(name, value))]);
  }

  private boundedBlockOf(method: string, timeoutMs: number): Buffer {
    const known = this.bounded.get(method);
    if (known?.timeoutMs === timeoutMs) return known.block;
    const block = Buffer.concat([this.blockOf(method), fieldBlock("grpc-timeout", `${Math.ceil(timeoutMs)}m`)]);
    this.bounded.set(method, { timeoutMs, block });
    return block;
  }

  private blockOf(method: string): Buffer {
    let block = this.blocks.get(method);
    if (block === undefined) {
      block = requestBlock({ tls: this.of.tls, authority: this.authority, method });
      this.blocks.set(method, block);
    }
    return block;
  }
}
