// A process over a WebSocket, whose messages begin with the number of a channel. Source:
// staging/src/k8s.io/apimachinery/pkg/util/remotecommand/constants.go; KEP-4006.
import { Readable, Writable } from "node:stream";
import type { Clock } from "@orch/platform";
import { ConnectionError } from "../transport/transport";
import type { UpgradedConnection } from "../transport/upgraded-connection";
import {
  exitCodeOf,
  noInput,
  noOutput,
  type RemoteProcess,
  sizeText,
  type TerminalSize,
  type WantedStreams,
} from "./remote-process";
import { WebSocketConnection } from "./web-socket";

const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;
/** Maximum length of the content of a message. */
const MESSAGE_MAX_BYTES = 32 * 1024;
/** Maximum length of the status of a process. */
const STATUS_MAX_BYTES = 1024 * 1024;

export class ChannelProcess implements RemoteProcess {
  readonly protocol: string;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exitCode: Promise<number>;
  private readonly connection: WebSocketConnection;
  private readonly full = new Set<Readable>();
  private readonly outputs: ReadonlyMap<number, Readable>;
  private readonly status: Buffer[] = [];
  private statusBytes = 0;
  /** Channel of the message that is arriving. */
  private channel: number | undefined;
  private ended: (error: ConnectionError | undefined) => void = () => {};

  constructor({ socket, head, protocol }: UpgradedConnection, wanted: WantedStreams, clock: Clock) {
    this.protocol = protocol;
    this.stdin = wanted.stdin ? this.input() : noInput();
    this.stdout = wanted.stdout ? this.output() : noOutput();
    this.stderr = wanted.stderr ? this.output() : noOutput();
    const outputs = new Map<number, Readable>();
    if (wanted.stdout) outputs.set(CHANNEL.stdout, this.stdout);
    if (wanted.stderr) outputs.set(CHANNEL.stderr, this.stderr);
    this.outputs = outputs;
    this.exitCode = new Promise((resolve, reject) => {
      this.ended = (error) => {
        try {
          // The status may precede a connection that is not closed as it should be.
          if (error !== undefined && this.statusBytes === 0) throw error;
          resolve(exitCodeOf(Buffer.concat(this.status).toString("utf8")));
        } catch (thrown) {
          reject(thrown);
        }
      };
    });
    this.exitCode.catch(() => {}); // the caller may only read the streams
    this.connection = new WebSocketConnection(
      socket,
      head,
      { part: (data, starts) => this.part(data, starts), closed: (error) => this.closed(error) },
      clock,
    );
  }

  resize(size: TerminalSize): void {
    this.connection.send([Buffer.from([CHANNEL.resize]), Buffer.from(sizeText(size))], () => {});
  }

  close(): void {
    this.connection.close();
  }

  private input(): Writable {
    const send = (piece: Buffer, done: (error?: Error | null) => void): void => {
      for (let at = 0; at < piece.length; at += MESSAGE_MAX_BYTES) {
        const isLast = at + MESSAGE_MAX_BYTES >= piece.length;
        const content = piece.subarray(at, at + MESSAGE_MAX_BYTES);
        this.connection.send([Buffer.from([CHANNEL.stdin]), content], isLast ? done : () => {});
      }
      if (piece.length === 0) done();
    };
    const stdin = new Writable({
      write: (piece: Buffer, _encoding, done) => send(piece, done),
      final: (done) => {
        // Earlier versions cannot close a channel.
        if (!this.protocol.startsWith("v5.")) done();
        else this.connection.send([Buffer.from([CHANNEL.close, CHANNEL.stdin])], done);
      },
    });
    return stdin.on("error", () => {}); // the reason is that of the exit code
  }

  private output(): Readable {
    const stream: Readable = new Readable({
      read: () => this.wanted(stream),
      destroy: (error, done) => {
        this.wanted(stream);
        done(error);
      },
    });
    return stream.on("error", () => {}); // the reason is that of the exit code
  }

  private wanted(stream: Readable): void {
    if (this.full.delete(stream) && this.full.size === 0) this.connection.resume();
  }

  private part(data: Buffer, starts: boolean): boolean {
    if (starts) this.channel = data[0];
    const content = starts ? data.subarray(1) : data;
    if (content.length === 0) return true;
    if (this.channel === CHANNEL.error) {
      this.statusBytes += content.length;
      if (this.statusBytes <= STATUS_MAX_BYTES) this.status.push(Buffer.from(content));
      return true;
    }
    const stream = this.channel === undefined ? undefined : this.outputs.get(this.channel);
    if (stream === undefined || stream.destroyed || stream.push(Buffer.from(content))) return true;
    this.full.add(stream);
    return false;
  }

  private closed(error: ConnectionError | undefined): void {
    for (const stream of this.outputs.values()) {
      if (error === undefined || this.statusBytes > 0) stream.push(null);
      else stream.destroy(error);
    }
    this.stdin.destroy(error ?? new ConnectionError("the process has ended"));
    this.ended(error);
  }
}
