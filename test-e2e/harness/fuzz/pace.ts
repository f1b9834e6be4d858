// Measures the server's present speed by requests that are answered at once: a wait of a few such answers is
// independent of the machine and its load.
import { Agent, request } from "node:https";

export class Pace {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  private waiting: (() => void)[] = [];
  private going = false;

  constructor(private readonly port: number) {}

  /** Resolves when a request that was sent after this call has been answered. */
  beat(): Promise<void> {
    const beat = new Promise<void>((resolve) => this.waiting.push(resolve));
    if (!this.going) void this.go();
    return beat;
  }

  private async go(): Promise<void> {
    this.going = true;
    while (this.waiting.length > 0) {
      const waiting = this.waiting.splice(0);
      await this.ask();
      for (const resolve of waiting) resolve();
    }
    this.going = false;
  }

  /** A failed request counts as answered. */
  private ask(): Promise<void> {
    return new Promise((resolve) => {
      const { port, agent } = this;
      const asked = request({ host: "127.0.0.1", port, method: "OPTIONS", path: "*", agent }, (answer) => {
        answer.resume();
        answer.once("end", resolve);
        answer.once("error", () => resolve());
      });
      asked.once("error", () => setImmediate(resolve));
      asked.end();
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
