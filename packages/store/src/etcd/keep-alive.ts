// Tells a slow, a silent and a dead connection apart. One timer a connection; a call costs it two assignments.

import { PING_INTERVAL_MS, PING_TIMEOUT_MS, PROBE_INTERVAL_MS, SILENCE_MS } from "./transport";

const TICK_MS = 250;

export interface KeepAliveDeps {
  /** Sends a ping; `answered` is to be called when its answer comes. */
  ping(answered: () => void): void;
  /** Calls wait and nothing has come for SILENCE_MS. Called again at every tick while it lasts. */
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
  /** The silence, by its beginning, for which a ping has been sent before its time. */
  private probedFor = 0;

  constructor(deps: KeepAliveDeps) {
    this.deps = deps;
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  get silent(): boolean {
    return this.waiting > 0 && performance.now() - this.heardAt > SILENCE_MS;
  }

  callBegins(): void {
    // Silence counts from when somebody began to wait.
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
    // One early ping a silence: etcd counts them until it next sends something.
    if (this.probedFor !== this.heardAt) this.probe();
    this.deps.silent();
  }

  /** @returns whether a ping is under way */
  private pingUnlessWithin(ms: number): boolean {
    const now = performance.now();
    if (this.pingOpen) return true;
    if (now - this.pingedAt < ms) return false;
    this.pingOpen = true;
    this.pingedAt = now;
    this.deps.ping(() => {
      // Alive; but calls that wait still wait, so the silence goes on.
      this.pingOpen = false;
    });
    return true;
  }
}
