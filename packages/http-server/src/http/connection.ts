// State of one TCP connection from its accept: whether its user is known, and what it is used for.
import type { ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

/** Reason for which the server closed the connection. */
export type ClosedFor = "silence" | "idleness" | "room" | "address" | "unread" | "resets" | "revoked" | "failure";

export interface ConnectionDeps {
  /** Monotonic time in milliseconds, for all times here. */
  now(): number;
  /** Number of requests that an HTTP/2 client may reset at once. */
  readonly abandonedMax: number;
  /** Called when the server closes the connection. */
  closed(why: ClosedFor): void;
  /** Called when its user is first authenticated. */
  recognized(connection: Connection): void;
}

const ASKED_AFTER_MS = 30_000;
const ANSWERS_WITHIN_MS = 15_000;
const ABANDONED_PER_SECOND = 50;

export class Connection {
  readonly since: number;
  /** Set after the TLS handshake. */
  tls: TLSSocket | undefined;
  /** Set for HTTP/2. */
  session: ServerHttp2Session | undefined;
  /** Number of requests in progress. */
  open = 0;
  /** Whether a request has arrived. */
  used = false;
  /** Time at which it was first seen without a request; 0: not seen since the last request. */
  quietSince = 0;
  /** Whether a request was authenticated. */
  known = false;
  /** Whether it exceeds the limit of connections: only health checks are answered. */
  surplus = false;
  /** Time since which it is closing gracefully; 0: it is not. */
  endingSince = 0;
  private heardBytes = 0;
  private heardAt: number;
  private askedAt = 0;
  /** Number of reset requests that still count; each second reduces it. */
  private abandonedCount = 0;
  private abandonedAt = 0;
  private raw: Socket | undefined;

  constructor(
    raw: Socket,
    readonly address: string,
    private readonly deps: ConnectionDeps,
  ) {
    this.raw = raw;
    this.since = deps.now();
    this.heardAt = this.since;
  }

  begin(): void {
    this.open += 1;
    this.used = true;
  }

  end(): void {
    this.open -= 1;
    this.quietSince = 0;
  }

  /** Records that the client reset a request. A client that continues to do so is disconnected. */
  abandoned(): void {
    const now = this.deps.now();
    const forgiven = ((now - this.abandonedAt) * ABANDONED_PER_SECOND) / 1000;
    this.abandonedCount = Math.max(0, this.abandonedCount - forgiven) + 1;
    this.abandonedAt = now;
    if (this.abandonedCount > this.deps.abandonedMax) this.close("resets");
  }

  /** Called when its user was authenticated. */
  recognize(): void {
    if (this.known) return;
    this.known = true;
    this.deps.recognized(this);
  }

  /**
   * Whether a quiet HTTP/2 connection does not answer a PING. A connection whose client broke the protocol is no longer
   * read, so that its end would not be noticed otherwise.
   */
  isDead(now: number): boolean {
    const bytesRead = this.raw?.bytesRead;
    if (bytesRead === undefined) return true;
    if (bytesRead !== this.heardBytes) {
      this.heardBytes = bytesRead;
      this.heardAt = now;
      this.askedAt = 0;
    } else if (this.askedAt !== 0) return now - this.askedAt >= ANSWERS_WITHIN_MS;
    else if (now - this.heardAt >= ASKED_AFTER_MS && this.session?.destroyed === false) {
      this.askedAt = now;
      this.session.ping(() => {});
    }
    return false;
  }

  /** The TCP socket; undefined once it is closed. */
  get socket(): Socket | undefined {
    return this.raw;
  }

  /** Whether nothing more can be sent. */
  get isOver(): boolean {
    return this.raw?.destroyed !== false;
  }

  /** Closes the connection at once. */
  close(why: ClosedFor): void {
    if (this.isOver) return;
    this.deps.closed(why);
    this.cut();
  }

  /**
   * Called when the socket is closed. Drops the references to session and sockets: sessions and streams refer to this
   * object, and a cycle through native handles would never be collected.
   */
  gone(): void {
    const { session, tls } = this;
    if (session?.destroyed === false) session.destroy();
    if (tls?.destroyed === false) tls.destroy();
    this.session = undefined;
    this.tls = undefined;
    this.raw = undefined;
  }

  /** Closes gracefully with a timeout: the client is told, and requests in progress are finished. */
  endSoon(): void {
    if (this.endingSince !== 0) return;
    this.endingSince = this.deps.now();
    if (this.session !== undefined) this.session.close();
    else if (this.open === 0) this.leave();
  }

  /** Closes once its last bytes are sent. */
  leave(): void {
    this.session?.destroy();
    (this.tls ?? this.raw)?.destroySoon();
  }

  /** Destroys the socket at once. */
  cut(): void {
    this.raw?.destroy();
  }
}
