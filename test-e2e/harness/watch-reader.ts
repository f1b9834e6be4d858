// Reads a watch stream event by event. Events that are not requested yet are kept.
import type { IncomingMessage } from "node:http";
import type { ApiObject } from "./api-object";
import { within } from "./eventually";

const TIMEOUT_MS = 30_000;

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: ApiObject;
}

export class Watch {
  private readonly answer: IncomingMessage;
  private readonly events: WatchEvent[] = [];
  private readonly hasEnded: Promise<void>;
  private over = false;
  private wake: () => void = () => undefined;

  constructor(answer: IncomingMessage) {
    this.answer = answer;
    let rest = "";
    answer.setEncoding("utf8");
    answer.on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") this.events.push(JSON.parse(line) as WatchEvent);
      this.wake();
    });
    this.hasEnded = new Promise((resolve) => {
      const end = () => {
        this.over = true;
        this.wake();
        resolve();
      };
      answer.once("end", end);
      answer.once("error", end);
      answer.once("close", end);
    });
  }

  /** Resolves when either side has ended the stream. */
  get ended(): Promise<void> {
    return this.hasEnded;
  }

  /** Returns the next event, or undefined when the stream has ended. @throws Error after `timeoutMs` without either */
  async next(timeoutMs = TIMEOUT_MS): Promise<WatchEvent | undefined> {
    while (this.events.length === 0) {
      if (this.over) return undefined;
      await within(timeoutMs, "a watch event", new Promise<void>((resolve) => (this.wake = resolve)));
    }
    return this.events.shift();
  }

  /** Returns the next `count` events. @throws Error when the stream ends before */
  async take(count: number, timeoutMs = TIMEOUT_MS): Promise<WatchEvent[]> {
    const taken: WatchEvent[] = [];
    while (taken.length < count) {
      const event = await this.next(timeoutMs);
      if (event === undefined) throw new Error(`the watch ended after ${taken.length} of ${count} events`);
      taken.push(event);
    }
    return taken;
  }

  /** Returns received events that were not taken yet. */
  takeArrived(): WatchEvent[] {
    return this.events.splice(0);
  }

  close(): void {
    this.answer.destroy();
  }
}
