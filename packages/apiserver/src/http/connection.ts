// One TCP connection as the server sees it, from the moment that it is accepted: whose it may be, and what it is used for.
import type { ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

/** Why the server ended it. */
export type ClosedFor = "silence" | "idleness" | "room" | "address" | "unread" | "resets" | "revoked" | "failure";

export interface ConnectionDeps {
  /** Milliseconds that never run backwards; all times here are of it. */
  now(): number;
  /** Requests that an HTTP/2 client may give up at once. */
  readonly abandonedMax: number;
  /** Told when the server ends it. */
  closed(why: ClosedFor): void;
  /** Told when it turns out to be a known user's. */
  recognized(connection: Connection): void;
}

const ASKED_AFTER_MS = 30_000;
const ANSWERS_WITHIN_MS = 15_000;
const ABANDONED_PER_SECOND = 50;

export class Connection {
  readonly since: number;
  /** Set when the TLS handshake is through. */
  tls: TLSSocket | undefined;
  /** Set when it speaks HTTP/2. */
  session: ServerHttp2Session | undefined;
  /** Requests that are being answered. */
  open = 0;
  /** A request has come in. */
  used = false;
  /** When it was first seen without a request; 0: it has not been looked at since the last one. */
  quietSince = 0;
  /** A request has shown credentials that are good. */
  known = false;
  /** There was no room for it: only those who watch over the server are answered. */
  surplus = false;
  /** Since when it is to end by itself; 0: it is not. */
  endingSince = 0;
  private heardBytes = 0;
  private heardAt: number;
  private askedAt = 0;
  /** Given up requests that count still: each second takes some away. */
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

  /** Its client has given up one of many requests. One that goes on asking and giving up is not there for answers. */
  abandoned(): void {
    const now = this.deps.now();
    const forgiven = ((now - this.abandonedAt) * ABANDONED_PER_SECOND) / 1000;
    this.abandonedCount = Math.max(0, this.abandonedCount - forgiven) + 1;
    this.abandonedAt = now;
    if (this.abandonedCount > this.deps.abandonedMax) this.close("resets");
  }

  /** Its user has been authenticated. */
  recognize(): void {
    if (this.known) return;
    this.known = true;
    this.deps.recognized(this);
  }

  /**
   * An HTTP/2 connection that has said nothing for a while is asked for a sign of life: one whose client broke the rules is not read
   * any more, so that its end would not be heard of either.
   * @returns whether it has given none
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

  /** What its bytes come by; undefined once it is gone. */
  get socket(): Socket | undefined {
    return this.raw;
  }

  /** Nothing can be sent on it any more. */
  get isOver(): boolean {
    return this.raw?.destroyed !== false;
  }

  /** At once, whatever is on its way. */
  close(why: ClosedFor): void {
    if (this.isOver) return;
    this.deps.closed(why);
    this.cut();
  }

  /**
   * Its bytes have nowhere to go. What it was made of is let go: sessions and streams lead to their connection, and where that led back
   * to their sockets, the run time would take them for one whole that its own handles hold, and keep it for good.
   */
  gone(): void {
    const { session, tls } = this;
    if (session?.destroyed === false) session.destroy();
    if (tls?.destroyed === false) tls.destroy();
    this.session = undefined;
    this.tls = undefined;
    this.raw = undefined;
  }

  /** In good order, with a bound: the client is told, and what is being answered is finished. */
  endSoon(): void {
    if (this.endingSince !== 0) return;
    this.endingSince = this.deps.now();
    if (this.session !== undefined) this.session.close();
    else if (this.open === 0) this.leave();
  }

  /** Once its last bytes are on their way. */
  leave(): void {
    this.session?.destroy();
    (this.tls ?? this.raw)?.destroySoon();
  }

  /** At once, without a word. */
  cut(): void {
    this.raw?.destroy();
  }
}
