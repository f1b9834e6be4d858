// A TLS connection for arbitrary bytes.
import { connect, type TLSSocket } from "node:tls";
import type { Credentials } from "./credentials";
import { within } from "./eventually";

export interface RawOptions {
  readonly port: number;
  /** Default: HTTP/1.1. */
  readonly protocol?: "http/1.1" | "h2";
  /** Default: no client certificate. */
  readonly as?: Partial<Pick<Credentials, "cert" | "key">>;
}

export class RawConnection {
  private pieces: Buffer[] = [];
  private total = 0;
  private isClosed = false;
  private changed: (() => void)[] = [];

  private constructor(readonly socket: TLSSocket) {
    socket.on("data", (piece: Buffer) => {
      this.pieces.push(piece);
      this.total += piece.length;
      this.tell();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.isClosed = true;
      this.tell();
    });
  }

  /** @throws Error when the handshake fails */
  static open({ port, protocol = "http/1.1", as = {} }: RawOptions): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      const { cert, key } = as;
      const socket = connect(
        {
          host: "127.0.0.1",
          port,
          rejectUnauthorized: false,
          ALPNProtocols: [protocol],
          ...(cert === undefined || key === undefined ? {} : { cert, key }),
        },
        () => {
          socket.off("error", reject);
          socket.off("close", gone);
          resolve(new RawConnection(socket));
        },
      );
      const gone = () => reject(new Error("closed before the handshake was through"));
      socket.once("error", reject);
      socket.once("close", gone);
    });
  }

  get received(): Buffer {
    if (this.pieces.length > 1) this.pieces = [Buffer.concat(this.pieces)];
    return this.pieces[0] ?? NOTHING;
  }

  get text(): string {
    return this.received.toString("latin1");
  }

  get bytes(): number {
    return this.total;
  }

  get closed(): boolean {
    return this.isClosed;
  }

  /** Drops received bytes, or the first of them. */
  forget(bytes = this.total): void {
    this.pieces = [this.received.subarray(bytes)];
    this.total = this.received.length;
  }

  write(bytes: Buffer | string): void {
    if (!this.isClosed) this.socket.write(bytes);
  }

  /** Waits for bytes or the end and evaluates `holds` each time. @throws Error that names `what` after `timeoutMs` */
  async until(what: string, holds: () => boolean, timeoutMs = 30_000): Promise<void> {
    if (holds()) return;
    const come = new Promise<void>((resolve) => {
      const look = () => (holds() ? resolve() : void this.changed.push(look));
      this.changed.push(look);
    });
    await within(
      timeoutMs,
      `${what}; came: ${JSON.stringify(this.text.slice(0, 300))}, closed: ${this.isClosed}`,
      come,
    );
  }

  untilClosed(timeoutMs?: number): Promise<void> {
    return this.until("the connection is closed", () => this.isClosed, timeoutMs);
  }

  destroy(): void {
    this.socket.destroy();
  }

  private tell(): void {
    for (const look of this.changed.splice(0)) look();
  }
}

const NOTHING = Buffer.alloc(0);
