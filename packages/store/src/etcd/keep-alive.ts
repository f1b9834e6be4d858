// Tells a slow, a silent and a dead connection apart. One timer a connection; a call costs it two assignments.

import { PING_INTERVAL_MS, PING_TIMEOUT_MS, SILENCE_MS } from "./transport";

const TICK_MS = 250;

export interface KeepAliveDeps {
  /** Sends a ping; `answered` is to be called when its answer comes. */
  ping(answered: () => void): void;
  /** Calls wait and nothing has come for SILENCE_MS. Called again at every tick while it lasts. */
  silent(): void;
  dead(): void;
}

export class KeepAlive {
  readonly #deps: KeepAliveDeps;
  readonly #timer: NodeJS.Timeout;
  #waiting = 0;
  #heardAt = Date.now();
  #pingedAt = Date.now();
  #pingOpen = false;

  constructor(deps: KeepAliveDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  get silent(): boolean {
    return this.#waiting > 0 && Date.now() - this.#heardAt > SILENCE_MS;
  }

  callBegins(): void {
    // Silence counts from when somebody began to wait.
    if (this.#waiting++ === 0) this.#heardAt = Date.now();
  }

  callEnds(): void {
    this.#waiting--;
  }

  heard(): void {
    this.#heardAt = Date.now();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const now = Date.now();
    if (this.#pingOpen && now - this.#pingedAt > PING_TIMEOUT_MS) {
      this.stop();
      this.#deps.dead();
      return;
    }
    if (!this.#pingOpen && now - this.#pingedAt >= PING_INTERVAL_MS) {
      this.#pingOpen = true;
      this.#pingedAt = now;
      this.#deps.ping(() => {
        this.#pingOpen = false;
        this.heard();
      });
    }
    if (this.silent) this.#deps.silent();
  }
}
