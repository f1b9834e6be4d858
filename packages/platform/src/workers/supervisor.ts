// Supervisor of several worker processes that serve one port. It starts, watches, replaces and stops them. It holds the
// port and distributes connections round-robin. It knows nothing of the workers' task and loads none of its code.
//
//   begin      only the first worker starts: errors in options are logged once, first-time initialization runs once
//   serve      the others start as well; one that dies is replaced, after a delay that grows with repeated deaths
//   SIGHUP     workers are replaced one by one: the new one is ready before the old one ends
//   SIGTERM    all workers end; a second signal kills them
// Source: docs/architecture.md, "Processes".
import cluster, { type Worker } from "node:cluster";
import { randomBytes } from "node:crypto";
import type { Log } from "../logging/log";
import { answerWatchdog, reportReady } from "../process/service-manager";
import { endOnSignals } from "../process/signals";
import { Backoff } from "../time/backoff";
import { surplusConnections } from "./connection-shares";
import type { ToSupervisor, ToWorker } from "./messages";
import { MetricsCollection } from "./metrics-collection";
import { MutexQueue } from "./mutex-queue";
import { identityEnvironment } from "./worker-identity";

export interface SupervisorOptions {
  readonly count: number;
  /** Command line of each worker, after the program's name. */
  readonly words: readonly string[];
  readonly log: Log;
}

const RESTART = { firstMs: 200, maxMs: 30_000, resetAfterMs: 60_000 };
/** Maximum number of consecutive failed starts while no worker serves. */
const FAILED_STARTS_MAX = 5;
/** Timeout for a new worker that replaces an old one. */
const READY_MS = 300_000;
const BALANCE_MS = 2000;

/** Exit codes and signals of a regular end; a signal when the worker was told before it could listen. */
const GOOD_ENDS: ReadonlySet<number | string> = new Set([0, "SIGTERM", "SIGINT"]);

interface Place {
  readonly number: number;
  readonly pauses: Backoff;
  /** The worker that serves in it. */
  holder: Member | undefined;
  /** Timer until the next worker is started. */
  pause: NodeJS.Timeout | undefined;
}

class Member {
  state: "starting" | "ready" | "leaving" = "starting";
  connections = 0;
  readonly gone: Promise<void>;
  /** Resolves with false when the worker ends first. */
  readonly ready: Promise<boolean>;
  becomeReady: () => void = () => {};

  constructor(
    readonly worker: Worker,
    readonly place: Place,
  ) {
    this.gone = new Promise((resolve) => worker.once("exit", () => resolve()));
    this.ready = Promise.race([
      new Promise<boolean>((resolve) => {
        this.becomeReady = () => resolve(true);
      }),
      this.gone.then(() => false),
    ]);
  }

  get pid(): number | undefined {
    return this.worker.process.pid;
  }

  /** Sends a message. It is dropped when the worker is gone. */
  tell(message: ToWorker): void {
    if (this.worker.isConnected()) this.worker.send(message, () => {});
  }
}

/** Supervises until the process ends by itself. */
export function superviseWorkers(options: SupervisorOptions): void {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ args: [...options.words], serialization: "advanced" });
  new Supervisor(options).begin();
}

class Supervisor {
  private readonly members = new Set<Member>();
  private readonly places: readonly Place[];
  private readonly secret = randomBytes(32).toString("base64url");
  private readonly turns = new MutexQueue<Member>((member, at) => member.tell({ kind: "turn", at }));
  private readonly gathering = new MetricsCollection<Member>((member, id) => member.tell({ kind: "asked", id }));
  /** A worker has been ready at some time. */
  private hasServed = false;
  private failedStarts = 0;
  private isRolling = false;
  private isEnding = false;
  private exitCode = 0;

  constructor(private readonly options: SupervisorOptions) {
    this.places = Array.from({ length: options.count }, (_, at) => ({
      number: at + 1,
      pauses: new Backoff(RESTART),
      holder: undefined,
      pause: undefined,
    }));
  }

  begin(): void {
    endOnSignals({
      log: this.options.log,
      isEnding: () => this.isEnding,
      end: () => this.leaveAll(),
      atOnce: () => this.killAll(),
    });
    process.on("SIGHUP", () => void this.roll());
    answerWatchdog();
    const [first] = this.places;
    if (first !== undefined) first.holder = this.start(first);
    setInterval(() => this.balance(), BALANCE_MS).unref();
  }

  private start(place: Place): Member {
    const identity = { number: place.number, count: this.options.count, isFirst: !this.hasServed, secret: this.secret };
    const member = new Member(cluster.fork(identityEnvironment(identity)), place);
    this.members.add(member);
    member.worker.on("message", (message: ToSupervisor) => this.hear(member, message));
    member.worker.on("error", () => {});
    member.worker.on("exit", (code: number | null, signal: string | null) => this.lost(member, signal ?? code ?? 1));
    return member;
  }

  private hear(member: Member, message: ToSupervisor): void {
    switch (message.kind) {
      case "here":
        if (this.isEnding) this.leave(member, true);
        return;
      case "ready":
        this.isReady(member);
        return;
      case "connections":
        member.connections = message.count;
        return;
      case "gather": {
        const { id, own } = message;
        const serving = [...this.members].filter(({ state }) => state !== "starting");
        void this.gathering.gather(member, own, serving).then((what) => member.tell({ kind: "gathered", id, what }));
        return;
      }
      case "told":
        this.gathering.told(member, message.id, message.own);
        return;
      case "mergeSnapshots":
        this.gathering.mergeSnapshots(message);
        return;
      case "last":
        this.gathering.keep(member, message.own);
        return;
      case "wantsTurn":
        this.turns.want(member, message.at);
        return;
      case "turnOver":
        this.turns.over(member, message.at);
        return;
    }
  }

  private isReady(member: Member): void {
    if (member.state === "starting") member.state = "ready";
    this.failedStarts = 0;
    member.becomeReady();
    if (this.hasServed) return;
    this.hasServed = true;
    reportReady();
    if (this.isEnding) return;
    for (const place of this.places) place.holder ??= this.start(place);
  }

  private lost(member: Member, end: number | string): void {
    this.members.delete(member);
    this.turns.gone(member);
    this.gathering.gone(member);
    const { place, state, pid } = member;
    const isHolder = place.holder === member;
    if (isHolder) place.holder = undefined;
    if (this.isEnding) {
      if (!GOOD_ENDS.has(end) && this.exitCode === 0) this.exitCode = 1;
      if (this.members.size === 0) process.exit(this.exitCode);
      return;
    }
    if (state === "leaving") return;
    if (state === "starting") this.failedStarts += 1;
    // The worker has logged the reason itself: its options, or its store.
    if (!this.hasServed) {
      this.giveUp(end);
      return;
    }
    this.options.log.error("a worker process exited", { worker: place.number, pid, end });
    if (this.failedStarts >= FAILED_STARTS_MAX && !this.isAnyReady) {
      this.options.log.error("worker processes fail at their start: giving up", { attempts: this.failedStarts, end });
      this.giveUp(end);
      return;
    }
    // The end of a replacement worker is handled where it was started.
    if (isHolder) this.startLater(place);
  }

  private get isAnyReady(): boolean {
    return [...this.members].some(({ state }) => state === "ready");
  }

  private startLater(place: Place): void {
    place.pause = setTimeout(() => {
      place.pause = undefined;
      if (!this.isEnding && place.holder === undefined) place.holder = this.start(place);
    }, place.pauses.next());
  }

  private giveUp(end: number | string): void {
    this.exitCode = typeof end === "number" ? end : 1;
    this.leaveAll();
  }

  private killAll(): void {
    for (const { worker } of this.members) worker.process.kill("SIGKILL");
  }

  private leaveAll(): void {
    this.isEnding = true;
    for (const { pause } of this.places) clearTimeout(pause);
    if (this.members.size === 0) process.exit(this.exitCode);
    for (const member of this.members) this.leave(member, true);
  }

  private leave(member: Member, all: boolean): void {
    member.state = "leaving";
    member.tell({ kind: "leave", all });
  }

  /** Replaces each worker by another one that is ready first. */
  private async roll(): Promise<void> {
    const { log } = this.options;
    if (this.isRolling || this.isEnding || !this.hasServed) return;
    this.isRolling = true;
    log.info("replacing the worker processes one by one");
    for (const place of this.places) {
      if (this.isEnding || !(await this.replace(place))) break;
    }
    this.isRolling = false;
  }

  /** Replaces one worker. @returns whether to continue with the next one */
  private async replace(place: Place): Promise<boolean> {
    const { log } = this.options;
    const fresh = this.start(place);
    const late = setTimeout(() => fresh.worker.process.kill("SIGKILL"), READY_MS);
    const isReady = await fresh.ready;
    clearTimeout(late);
    if (this.isEnding) return false;
    if (!isReady) {
      log.error("a new worker process does not become ready: the old ones remain", { worker: place.number });
      return false;
    }
    clearTimeout(place.pause);
    const old = place.holder;
    place.holder = fresh;
    log.info("replaced a worker process", { worker: place.number, pid: fresh.pid, before: old?.pid });
    if (old === undefined) return true;
    this.leave(old, false);
    await old.gone;
    return true;
  }

  private balance(): void {
    const ready = [...this.members].filter(({ state }) => state === "ready");
    if (ready.length < 2) return;
    const surplus = surplusConnections(ready.map(({ connections }) => connections));
    for (const [at, connections] of surplus.entries())
      if (connections > 0) ready[at]?.tell({ kind: "shed", connections });
  }
}
