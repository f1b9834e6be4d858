// A TLS handshake is milliseconds of work that anybody may ask for. One is begun after the other, addresses in turn, so that whoever has
// a connection already is served between them. One whose client is slow to answer does not keep the others waiting.
import type { Socket } from "node:net";

/** For so long a handshake counts as work; then its client is being waited for. Milliseconds. */
const WORKS_FOR_MS = 2;

export class HandshakeTurns {
  /** The address whose turn is next stands first. */
  private readonly waiting = new Map<string, Socket[]>();
  private working: Socket | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** @param begin lets a connection speak; it has been paused since it was accepted */
  constructor(private readonly begin: (raw: Socket) => void) {}

  await(raw: Socket): void {
    if (this.working === undefined && this.waiting.size === 0) {
      this.work(raw);
      return;
    }
    const address = raw.remoteAddress ?? "";
    const alike = this.waiting.get(address);
    if (alike === undefined) this.waiting.set(address, [raw]);
    else alike.push(raw);
  }

  /** The handshake is through, has failed, or has been given up; for others nothing happens. */
  over(raw: Socket | undefined): void {
    if (raw === undefined || raw !== this.working) return;
    clearTimeout(this.timer);
    this.working = undefined;
    // Not at once: what has come in meanwhile on other connections is looked at first.
    if (this.waiting.size > 0) setImmediate(this.next);
  }

  private work(raw: Socket): void {
    const over = () => this.over(raw);
    this.working = raw;
    this.timer = setTimeout(over, WORKS_FOR_MS);
    raw.once("close", over);
    this.begin(raw);
  }

  private readonly next = (): void => {
    if (this.working !== undefined) return;
    for (const [address, alike] of this.waiting) {
      this.waiting.delete(address);
      const raw = alike.shift();
      // Whose turn it was stands behind all others.
      if (alike.length > 0) this.waiting.set(address, alike);
      if (raw === undefined || raw.destroyed) continue;
      this.work(raw);
      return;
    }
  };
}
