// A TLS connection on which a test says whatever it likes, byte by byte, and sees what comes back.
import { connect, type TLSSocket } from "node:tls";
import type { Credentials } from "./credentials";
import { within } from "./eventually";

export interface RawOptions {
  readonly port: number;
  /** Default: HTTP/1.1. */
  readonly protocol?: "http/1.1" | "h2";
  /** Default: none. */
  readonly as?: Partial<Pick<Credentials, "cert" | "key">>;
}

export class RawConnection {
  #received: Buffer[] = [];
  #bytes = 0;
  #closed = false;
  #changed: (() => void)[] = [];

  private constructor(readonly socket: TLSSocket) {
    socket.on("data", (piece: Buffer) => {
      this.#received.push(piece);
      this.#bytes += piece.length;
      this.#tell();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#closed = true;
      this.#tell();
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
    if (this.#received.length > 1) this.#received = [Buffer.concat(this.#received)];
    return this.#received[0] ?? NOTHING;
  }

  get text(): string {
    return this.received.toString("latin1");
  }

  get bytes(): number {
    return this.#bytes;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Forgets what has come, or its beginning. */
  forget(bytes = this.#bytes): void {
    this.#received = [this.received.subarray(bytes)];
    this.#bytes = this.received.length;
  }

  write(bytes: Buffer | string): void {
    if (!this.#closed) this.socket.write(bytes);
  }

  /** Waits for something to come or end; `holds` is asked each time. @throws Error naming `what` after `timeoutMs` */
  async until(what: string, holds: () => boolean, timeoutMs = 30_000): Promise<void> {
    if (holds()) return;
    const come = new Promise<void>((resolve) => {
      const look = () => (holds() ? resolve() : void this.#changed.push(look));
      this.#changed.push(look);
    });
    await within(timeoutMs, `${what}; came: ${JSON.stringify(this.text.slice(0, 300))}, closed: ${this.#closed}`, come);
  }

  untilClosed(timeoutMs?: number): Promise<void> {
    return this.until("the connection is closed", () => this.#closed, timeoutMs);
  }

  destroy(): void {
    this.socket.destroy();
  }

  #tell(): void {
    for (const look of this.#changed.splice(0)) look();
  }
}

const NOTHING = Buffer.alloc(0);
