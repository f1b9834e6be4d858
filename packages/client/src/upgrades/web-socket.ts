// A WebSocket connection of a client after its handshake. Source: RFC 6455.
import type { Duplex } from "node:stream";
import type { Clock } from "@orch/platform";
import { ConnectionError } from "../transport/transport";
import { FrameReader, frame, OPCODES } from "./web-socket-frames";

/** Values of client-go. Source: staging/src/k8s.io/client-go/tools/remotecommand/websocket.go. */
const PING_EVERY_MS = 5_000;
const SILENT_MAX_MS = 61_000;
const NORMAL_CLOSURE = 1000;
const NO_STATUS = 1005;
/** Time for the server to close the connection after the client's close frame. */
const CLOSE_MS = 10_000;

export interface WebSocketEvents {
  /** Receives a part of a message. @returns false when the receiver cannot take more until `resume` */
  readonly part: (data: Buffer, starts: boolean) => boolean;
  /** Called once, when no more messages will arrive. @param error undefined after a normal closure */
  readonly closed: (error: ConnectionError | undefined) => void;
}

export class WebSocketConnection {
  private readonly reader = new FrameReader(this);
  private cancelPing: () => void;
  private heardAt: number;
  private isClosed = false;
  private isClosing = false;

  /** @param head bytes that arrived with the answer to the handshake */
  constructor(
    private readonly socket: Duplex,
    head: Buffer,
    private readonly events: WebSocketEvents,
    private readonly clock: Clock,
  ) {
    this.heardAt = clock.elapsed();
    this.cancelPing = clock.after(PING_EVERY_MS, this.ping, { background: true });
    socket.on("error", (cause) => this.end(lost(cause)));
    socket.on("close", () => this.end(lost(undefined)));
    socket.on("end", () => this.end(lost(undefined)));
    if (head.length > 0) socket.unshift(head);
    socket.on("data", (data: Buffer) => this.take(data));
  }

  /** Sends a binary message. @param done called when more may be sent */
  send(parts: readonly Uint8Array[], done: (error?: Error | null) => void): void {
    if (this.isClosed || this.isClosing) done(new ConnectionError("the connection is closed"));
    else this.socket.write(frame(OPCODES.binary, ...parts), done);
  }

  resume(): void {
    this.heardAt = this.clock.elapsed();
    this.socket.resume();
  }

  /** Asks the server to close the connection. */
  close(): void {
    if (this.isClosed || this.isClosing) return;
    this.isClosing = true;
    this.socket.resume();
    this.socket.write(frame(OPCODES.close, NORMAL_CODE));
    const cancel = this.clock.after(CLOSE_MS, () => this.end(undefined), { background: true });
    this.socket.once("close", cancel);
  }

  destroy(error?: ConnectionError): void {
    this.end(error);
  }

  part(data: Buffer, starts: boolean): void {
    if (!this.isClosed && !this.isClosing && !this.events.part(data, starts)) this.socket.pause();
  }

  control(opcode: number, data: Buffer): void {
    if (this.isClosed) return;
    if (opcode === OPCODES.ping) this.socket.write(frame(OPCODES.pong, data));
    else if (opcode === OPCODES.close) this.closedBy(data);
  }

  private take(data: Buffer): void {
    this.heardAt = this.clock.elapsed();
    try {
      this.reader.take(data);
    } catch (cause) {
      this.end(lost(cause));
    }
  }

  private closedBy(data: Buffer): void {
    const code = data.length < 2 ? NO_STATUS : data.readUInt16BE(0);
    if (!this.isClosing) this.socket.write(frame(OPCODES.close, data.subarray(0, 2)));
    this.socket.end();
    const reason = data.toString("utf8", 2);
    const isNormal = this.isClosing || code === NORMAL_CLOSURE || code === NO_STATUS;
    const message = `the server closed the connection with code ${code}${reason === "" ? "" : `: ${reason}`}`;
    this.finish(isNormal ? undefined : new ConnectionError(message));
  }

  private end(error: ConnectionError | undefined): void {
    this.socket.destroy();
    this.finish(this.isClosing ? undefined : error);
  }

  private finish(error: ConnectionError | undefined): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.cancelPing();
    this.events.closed(error);
  }

  private readonly ping = (): void => {
    if (this.isClosed) return;
    const silentMs = this.clock.elapsed() - this.heardAt;
    // A paused connection hears nothing.
    if (silentMs > SILENT_MAX_MS && !this.socket.isPaused()) {
      this.end(new ConnectionError(`the server was silent for ${Math.round(silentMs)} ms`));
      return;
    }
    this.socket.write(frame(OPCODES.ping));
    this.cancelPing = this.clock.after(PING_EVERY_MS, this.ping, { background: true });
  };
}

const NORMAL_CODE = Buffer.from([NORMAL_CLOSURE >> 8, NORMAL_CLOSURE & 0xff]);

const lost = (cause: unknown): ConnectionError =>
  new ConnectionError(`the connection was lost${cause instanceof Error ? `: ${cause.message}` : ""}`, { cause });
