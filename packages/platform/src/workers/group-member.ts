// A worker in its process group.
import cluster from "node:cluster";
import type { GroupMetrics, Snapshot, ToSupervisor, ToWorker } from "./messages";
import type { WorkerIdentity } from "./worker-identity";

/**
 * Reason for a worker's end: another worker replaces it; the whole group ends; the supervisor is gone, and the port
 * with it.
 */
export type EndReason = "replaced" | "together" | "orphaned";

export interface MemberHandlers {
  leave(why: EndReason): void;
  /** Returns the metrics of the worker. */
  snapshot(): Promise<Snapshot>;
  /** Closes this number of client connections, so that the clients reconnect. */
  shed(connections: number): void;
  /** Returns the number of connections that could be closed. */
  connections(): number;
}

const COUNT_MS = 1000;
/** Time to wait for the supervisor's message when a signal reaches the whole group. */
const WORD_MS = 500;

export class GroupMember {
  private handlers: MemberHandlers | undefined;
  private readonly gatherings = new Map<number, (what: GroupMetrics) => void>();
  /** Requested turns, in the order in which they are granted. */
  private readonly turns = new Set<{ readonly at: string; begin(): void }>();
  private ids = 0;
  private told = 0;
  private isLeaving = false;

  constructor(readonly identity: WorkerIdentity) {
    process.on("message", (message: ToWorker) => void this.hear(message));
    // Meant for the supervisor; a terminal or a service manager signals all processes.
    process.on("SIGHUP", () => {});
    const goAlone = () => void setTimeout(() => this.leave("replaced"), WORD_MS);
    process.on("SIGTERM", goAlone);
    process.on("SIGINT", goAlone);
    cluster.worker?.on("disconnect", () => {
      // Without this, Node.js would end the process at once.
      if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
      this.takeTurns();
      this.leave("orphaned");
    });
    this.say({ kind: "here" });
  }

  serve(handlers: MemberHandlers): void {
    this.handlers = handlers;
    setInterval(() => this.tellConnections(), COUNT_MS).unref();
  }

  ready(): void {
    this.say({ kind: "ready" });
  }

  /**
   * Runs work that only one worker at a time may do.
   * @param at name of the work; work with other names runs in parallel
   */
  async alone<Result>(at: string, work: () => Promise<Result>): Promise<Result> {
    await new Promise<void>((begin) => {
      this.turns.add({ at, begin });
      this.say({ kind: "wantsTurn", at });
      if (!process.connected) this.takeTurns();
    });
    try {
      return await work();
    } finally {
      this.say({ kind: "turnOver", at });
    }
  }

  gather(own: Snapshot): Promise<GroupMetrics> {
    this.ids += 1;
    const id = this.ids;
    return new Promise((resolve) => {
      this.gatherings.set(id, resolve);
      this.say({ kind: "gather", id, own });
    });
  }

  /** Replaces the snapshots of ended workers by their merge. */
  mergeSnapshots({ gone, folds }: GroupMetrics, into: Snapshot): void {
    this.say({ kind: "mergeSnapshots", folds, count: gone.length, into });
  }

  /** Sends the last snapshot. Resolves when it was sent. */
  async last(own: Snapshot): Promise<void> {
    await new Promise<void>((resolve) => this.say({ kind: "last", own }, resolve));
  }

  private async hear(message: ToWorker): Promise<void> {
    switch (message.kind) {
      case "leave":
        this.leave(message.all ? "together" : "replaced");
        return;
      case "shed":
        this.handlers?.shed(message.connections);
        return;
      case "asked":
        this.say({ kind: "told", id: message.id, own: (await this.handlers?.snapshot()) ?? [] });
        return;
      case "gathered": {
        const { id, what } = message;
        this.gatherings.get(id)?.(what);
        this.gatherings.delete(id);
        return;
      }
      case "turn":
        this.takeTurns(message.at);
        return;
    }
  }

  /** Grants the next turn for a name; without a name all turns, because no supervisor is left. */
  private takeTurns(at?: string): void {
    for (const turn of [...this.turns]) {
      if (at !== undefined && turn.at !== at) continue;
      this.turns.delete(turn);
      turn.begin();
      if (at !== undefined) return;
    }
  }

  private leave(why: EndReason): void {
    if (this.isLeaving) return;
    this.isLeaving = true;
    // Before the start there is nothing to shut down.
    if (this.handlers === undefined) process.exit(0);
    this.handlers.leave(why);
  }

  private tellConnections(): void {
    const count = this.handlers?.connections() ?? 0;
    if (count === this.told) return;
    this.told = count;
    this.say({ kind: "connections", count });
  }

  /** Sends a message. Without a supervisor it is dropped, and the process is about to end. */
  private say(message: ToSupervisor, sent: () => void = () => {}): void {
    if (process.connected) process.send?.(message, undefined, undefined, () => sent());
    else sent();
  }
}
