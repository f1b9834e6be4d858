// Limits TLS handshakes, each of which takes about a millisecond of work before authentication. They are started one
// after the other, addresses in turn. While there is other work, handshakes get a quarter of the loop's time, so that
// established connections are served. A slow client does not delay the others.
import type { Socket } from "node:net";
import { loopIsBusy } from "@orch/platform";

/** Time in milliseconds for which a handshake counts as work; after it the server is waiting for the client. */
const WORKS_FOR_MS = 2;
/** Time for other work after each handshake, if there is any. */
const RESTS_FOR_MS = 3;
/** Interval in which an idle loop is noticed. */
const LOOKS_EVERY_MS = 1;

export class HandshakeQueue {
  /** Waiting connections by address; the next address is first. */
  private readonly waiting = new Map<string, Socket[]>();
  private working: Socket | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Remaining checks until other work has had its time; 0: nothing waits for it. */
  private resting = 0;

  /**
   * @param begin resumes a connection, which is paused since its accept
   * @param isBusy whether the loop has been mostly busy since the last call; the previous handshake counts as work
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

  /** Called when a handshake has finished, failed or timed out; ignores other sockets. */
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
      // The served address moves to the end.
      if (alike.length > 0) this.waiting.set(address, alike);
      if (raw === undefined || raw.destroyed) continue;
      this.work(raw);
      return;
    }
  }
}
