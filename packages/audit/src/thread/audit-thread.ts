// Audit thread for long work: large bodies and large policies. Started when it is first needed.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ResourceLimits, Worker } from "node:worker_threads";
import { PeerLostError, PortPeer } from "@orch/platform";
import type { AuditThreadOffers, AuditThreadStart, BodyWork, PolicyAnswer } from "./audit-work";

const LIMITS: ResourceLimits = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 64 };
const IDLE_MS = 300_000;
/** Timeout of one piece of work; the slowest takes a fraction of it. */
const STALLED_MS = 120_000;

export class AuditThread {
  private running: Running | undefined;
  private closed = false;

  constructor(private readonly start: AuditThreadStart) {}

  /** Returns the body as JSON. @throws Error when it cannot be read */
  readBody(work: BodyWork): Promise<Uint8Array> {
    return this.use((peer) => peer.call("body", work));
  }

  readPolicy(text: string): Promise<PolicyAnswer> {
    return this.use((peer) => peer.call("policy", text));
  }

  close(): void {
    this.closed = true;
    this.running?.end("the server is stopping");
  }

  private use<Made>(ask: (peer: PortPeer<AuditThreadOffers>) => Promise<Made>): Promise<Made> {
    if (this.closed) return Promise.reject(new PeerLostError("the server is stopping"));
    if (this.running === undefined || this.running.ended) this.running = new Running(this.start);
    return this.running.use(ask);
  }
}

class Running {
  ended = false;
  private readonly worker: Worker;
  private readonly peer: PortPeer<AuditThreadOffers>;
  private timer: NodeJS.Timeout | undefined;

  constructor(start: AuditThreadStart) {
    this.worker = new Worker(require.resolve("@orch/platform/bin/packed-thread"), {
      argv: [program()],
      workerData: start,
      resourceLimits: LIMITS,
    });
    this.peer = new PortPeer<AuditThreadOffers>(this.worker, {});
    this.worker.on("message", (message) => this.peer.receive(message));
    this.worker.on("error", (error) => this.end(error.message));
    this.worker.on("exit", () => this.end("the worker thread ended"));
    this.worker.unref();
  }

  async use<Made>(ask: (peer: PortPeer<AuditThreadOffers>) => Promise<Made>): Promise<Made> {
    this.endAfter(STALLED_MS, "the time limit was exceeded");
    try {
      return await ask(this.peer);
    } finally {
      if (this.peer.pending === 0) this.endAfter(IDLE_MS, "the worker thread was idle");
    }
  }

  end(why: string): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    this.peer.lose(why);
    void this.worker.terminate();
  }

  private endAfter(delayMs: number, why: string): void {
    if (this.ended) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(why), delayMs).unref();
  }
}

/** Path of the compiled program, also when this file runs from its source. */
function program(): string {
  const beside = join(__dirname, "audit-thread-main.js");
  return existsSync(beside) ? beside : join(__dirname, "../../dist/thread/audit-thread-main.js");
}
