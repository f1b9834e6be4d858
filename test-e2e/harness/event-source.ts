// Reads Server-Sent Events as a browser's EventSource does: it keeps the last id, and names it when it connects again.
// Source: the HTML standard, "Server-sent events".
import type { IncomingMessage } from "node:http";
import { within } from "./eventually";
import type { ApiClient } from "./https-client";

const TIMEOUT_MS = 30_000;

export class EventSourceReader<Event> {
  /** The id that the next connection names; "" for none. */
  lastId = "";
  private readonly events: Event[] = [];
  private answer: IncomingMessage | undefined;
  private isOpen = false;
  private wake: () => void = () => undefined;

  constructor(
    private readonly path: string,
    private readonly accept = "text/event-stream",
  ) {}

  /** Opens a connection, to the first server or to another one. */
  async connect(client: ApiClient): Promise<void> {
    const headers = { accept: this.accept, ...(this.lastId === "" ? {} : { "last-event-id": this.lastId }) };
    const answer = await client.stream(this.path, headers);
    this.answer = answer;
    this.isOpen = true;
    let rest = "";
    answer.setEncoding("utf8");
    answer.on("data", (text: string) => {
      const blocks = (rest + text).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) this.read(block);
      this.wake();
    });
    const end = () => {
      this.isOpen = false;
      this.wake();
    };
    for (const name of ["end", "error", "close"]) answer.once(name, end);
  }

  /** Returns the next `count` events of the present connection. @throws Error when it ends before */
  async take(count: number, timeoutMs = TIMEOUT_MS): Promise<Event[]> {
    const until = performance.now() + timeoutMs;
    while (this.events.length < count) {
      if (!this.isOpen) throw new Error(`the stream ended after ${this.events.length} of ${count} events`);
      const leftMs = until - performance.now();
      await within(leftMs, `${count} events`, new Promise<void>((resolve) => (this.wake = resolve)));
    }
    return this.events.splice(0, count);
  }

  /** Resolves when the connection has ended, and returns what it brought. */
  async rest(timeoutMs = TIMEOUT_MS): Promise<Event[]> {
    while (this.isOpen)
      await within(timeoutMs, "the end of the stream", new Promise<void>((resolve) => (this.wake = resolve)));
    return this.events.splice(0);
  }

  close(): void {
    this.answer?.destroy();
  }

  private read(block: string): void {
    const data: string[] = [];
    for (const line of block.split("\n")) {
      const [name = "", value = ""] = /^([^:]*):? ?(.*)$/.exec(line)?.slice(1) ?? [];
      if (name === "id") this.lastId = value;
      if (name === "data") data.push(value);
    }
    if (data.length > 0) this.events.push(JSON.parse(data.join("\n")) as Event);
  }
}
