// Measures event loop delays of a server inside its process.
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { repository, type Workplace } from "../processes";

/** Time for the measuring timer to fire. */
const PAUSE_MS = 20;

/** Watches the server that is started with its environment. */
export class LoopWatch {
  readonly env: Readonly<Record<string, string>>;
  private readonly socket: string;

  constructor(workplace: Workplace) {
    this.socket = join(workplace.folder(), "loop");
    const program = join(repository, "test-e2e/harness/hostile/loop-watch.cjs");
    this.env = { LOOP_WATCH: this.socket, NODE_OPTIONS: `--require=${JSON.stringify(program)}` };
  }

  /** @returns the longest event loop delay while `act` ran, in milliseconds */
  async delay(act: () => Promise<unknown>): Promise<number> {
    await this.ask(); // begins a new measurement
    await sleep(PAUSE_MS);
    await act();
    await sleep(PAUSE_MS);
    return this.ask();
  }

  private async ask(): Promise<number> {
    const said = await text(connect(this.socket));
    if (said === "") throw new Error("the server does not tell its loop's delay");
    return Number(said);
  }
}
