// Distinguishes slow, silent and dead connections. One timer per connection; a call costs two assignments.

import { PING_INTERVAL_MS, PING_TIMEOUT_MS, PROBE_INTERVAL_MS, SILENCE_MS } from "./transport";

const TICK_MS = 250;

export interface KeepAliveDeps {
  /** Sends a ping; `answered` must be called when the answer arrives. */
  ping(answered: () => void): void;
  /** Called when calls wait and nothing has arrived for SILENCE_MS, and again at every tick while it lasts. */
  silent(): void;
  dead(): void;
}

export class KeepAlive {
  private readonly deps: KeepAliveDeps;
  private readonly timer: NodeJS.Timeout;
  private waiting = 0;
  private heardAt = performance.now();
  private pingedAt = performance.now();
  private pingOpen = false;
  /** The start of the silence for which an early ping has been sent. */
  private probedFor = 0;

  constructor(deps: KeepAliveDeps) {
    this.deps = deps;
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  get silent(): boolean {
    return this.waiting > 0 && performance.now() - this.heardAt > SILENCE_MS;
  }

  callBegins(): void {
    // Silence counts from the moment when the first call began to wait.
    if (this.waiting++ === 0) this.heardAt = performance.now();
  }

  callEnds(): void {
    this.waiting--;
  }

  heard(): void {
    this.heardAt = performance.now();
  }

  probe(): void {
    if (this.pingUnlessWithin(PROBE_INTERVAL_MS)) this.probedFor = this.heardAt;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private tick(): void {
    const now = performance.now();
    if (this.pingOpen && now - this.pingedAt > PING_TIMEOUT_MS) {
      this.stop();
      this.deps.dead();
      return;
    }
    this.pingUnlessWithin(PING_INTERVAL_MS);
    if (!this.silent) return;
    // One early ping per silence: etcd counts early pings until it next sends something.
    if (this.probedFor !== this.heardAt) this.probe();
    this.deps.silent();
  }

  /** @returns whether a ping is in progress */
  private pingUnlessWithin(ms: number): boolean {
    const now = performance.now();
    if (this.pingOpen) return true;
    if (now - this.pingedAt < ms) return false;
    this.pingOpen = true;
    this.pingedAt = now;
    this.deps.ping(() => {
      // The peer is alive. The waiting calls still wait, so the silence continues.
      this.pingOpen = false;
    });
    return true;
  }
}
