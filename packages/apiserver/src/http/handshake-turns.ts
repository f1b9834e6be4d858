// A TLS handshake is a millisecond of work that anybody may ask for. One is begun after the other, addresses in turn, and while there is
// other work handshakes have a quarter of the loop's time, so that whoever has a connection already is served. One whose client is slow
// to answer does not keep the others waiting.
import type { Socket } from "node:net";
import { loopIsBusy } from "@orch/platform";

/** For so long a handshake counts as work; then its client is being waited for. Milliseconds. */
const WORKS_FOR_MS = 2;
/** The loop is others' for so long after each, if they have use for it. */
const RESTS_FOR_MS = 3;
/** How soon a loop without other work is noticed. */
const LOOKS_EVERY_MS = 1;

export class HandshakeTurns {
  /** The address whose turn is next stands first. */
  private readonly waiting = new Map<string, Socket[]>();
  private working: Socket | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Looks left before others have had their time; 0: nobody waits for them. */
  private resting = 0;

  /**
   * @param begin lets a connection speak; it has been paused since it was accepted
   * @param isBusy whether the loop has had little rest since it was asked last; the handshake before counts as work
   */
  constructor(
    private readonly begin: (raw: Socket) => void,
    private readonly isBusy: () => boolean = loopIsBusy(),
  ) {}

  await(raw: Socket): void {
    if (this.working === undefined && this.resting === 0) {
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
    this.isBusy();
    this.resting = RESTS_FOR_MS / LOOKS_EVERY_MS;
    this.timer = setTimeout(this.look, LOOKS_EVERY_MS);
  }

  private readonly look = (): void => {
    this.resting = this.isBusy() ? this.resting - 1 : 0;
    if (this.resting === 0) this.next();
    else this.timer = setTimeout(this.look, LOOKS_EVERY_MS);
  };

  private work(raw: Socket): void {
    const over = () => this.over(raw);
    this.working = raw;
    this.timer = setTimeout(over, WORKS_FOR_MS);
    raw.once("close", over);
    this.begin(raw);
  }

  private next(): void {
    for (const [address, alike] of this.waiting) {
      this.waiting.delete(address);
      const raw = alike.shift();
      // Whose turn it was stands behind all others.
      if (alike.length > 0) this.waiting.set(address, alike);
      if (raw === undefined || raw.destroyed) continue;
      this.work(raw);
      return;
    }
  }
}
