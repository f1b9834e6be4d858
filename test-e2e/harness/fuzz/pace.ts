// How fast the server is at this moment, told by requests that are answered at once: who waits for a few of them has waited for as long as
// the server needs, on every machine and whatever else it does.
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

  /** Whoever is not answered is no better off than those who are. */
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
