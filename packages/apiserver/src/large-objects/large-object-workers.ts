// Large-object workers: worker threads for work that would block the event loop of the main thread, such as writes of
// objects with thousands of values or long texts, and conversions of such objects into other representations. They run
// the same code on the same store, as another replica would; the main thread only passes bytes on. The first work item
// starts a thread; an idle thread ends. Source: docs/architecture.md, "Large objects".

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ResourceLimits, Worker } from "node:worker_threads";
import type { WebhookCaller } from "@orch/admission";
import type { DialGuard } from "@orch/extensions";
import { type GroupResource, serviceUnavailable, timeout, tooManyRequests } from "@orch/machinery";
import type { Logger, ServerMetrics } from "@orch/observability";
import { bufferOf, type EndSignal, errorFields, PeerLostError, PortPeer } from "@orch/platform";
import type { Entry } from "@orch/registry";
import type { FormKey, RenderedPart } from "@orch/request";
import type { Vocabulary } from "@orch/schema";
import type { OtherStores } from "@orch/served-resources";
import {
  type AccessReaders,
  type AdmissionReaders,
  offeredReaders,
  offeredWebhooks,
  type PluginConfigurations,
} from "@orch/server-admission";
import type { ServerConfig } from "@orch/server-config";
import type { Store } from "@orch/store";
import { FairQueue } from "./fair-queue";
import { offeredStores } from "./port-store";
import { TYPED_ERRORS } from "./typed-errors";
import type {
  DefinedBy,
  FoundDefinition,
  LargeConversion,
  LargeDeletion,
  LargeObjectRoute,
  LargeRendering,
  LargeRewrite,
  LargeWrite,
  LargeWriteAnswer,
  MainThreadCalls,
  WorkerCalls,
  WorkerStart,
} from "./worker-calls";
import { addObservations } from "./worker-metrics";

export interface LargeObjectWorkersDeps extends AccessReaders {
  /** Objects that admission reads. */
  readonly readers: AdmissionReaders;
  readonly webhooks: WebhookCaller;
  /** `--large-object-threads`. */
  readonly ownAddresses: DialGuard;
  readonly threads: number;
  readonly config: ServerConfig;
  readonly vocabulary: Vocabulary;
  readonly configurations: PluginConfigurations;
  readonly store: Store;
  readonly otherStores?: OtherStores | undefined;
  readonly metrics: ServerMetrics;
  readonly logger: Logger;
  readonly definitions: WorkerDefinitions;
}

/** The main thread's knowledge about custom resources. */
export interface WorkerDefinitions {
  /** @param route see `Route.path` */
  definedBy(route: string): DefinedBy | undefined;
  find(of: GroupResource): FoundDefinition | undefined;
}

/** Concurrent work items per thread: one computes while the other waits for the store. */
const RUNNING = 2;
const WAITING = 128;
const WAITING_OF_ONE = 8;
const WAITING_MAX_BYTES = 96 * 1024 * 1024;
/**
 * The most expensive object of 3 MiB briefly takes a few hundred MiB. A larger young generation takes as much memory
 * again and saves no processor time.
 */
const LIMITS: ResourceLimits = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 16 };
/** An idle thread ends after this time and frees its memory. */
const IDLE_MS = 15_000;
const PING_MS = 5_000;
/**
 * The most expensive request takes a fraction of this time; a thread that has not answered for so long is taken as
 * stalled.
 */
const STALLED_MS = 60_000;

export class LargeObjectWorkers {
  private readonly queue: FairQueue;
  private threads: LargeObjectThread[] = [];
  private closed = false;

  /** @param deps.threads maximum number of threads, at least 1 */
  constructor(private readonly deps: LargeObjectWorkersDeps) {
    this.queue = new FairQueue({
      running: RUNNING * deps.threads,
      waiting: WAITING,
      waitingOfOne: WAITING_OF_ONE,
      waitingBytes: WAITING_MAX_BYTES,
    });
  }

  /**
   * Carries out a write of a large object.
   * @throws StatusError TooManyRequests (429) when the queue is full, Timeout (504) when the thread is lost during the
   * write
   * @throws ClientGoneError when the signal is aborted first; work that has not started by then is dropped
   */
  write(work: LargeWrite, signal: EndSignal): Promise<LargeWriteAnswer> {
    const of = { user: work.user.name, bytes: work.body.length };
    return this.inTurn(of, signal, (peer) => peer.call("write", this.defined(work), { signal }));
  }

  /** Deletes one object. @throws StatusError as the deletion and `write` do */
  remove(work: LargeDeletion, signal: EndSignal): Promise<void> {
    return this.inTurn({ user: work.user.name, bytes: 0 }, signal, (peer) =>
      peer.call("remove", this.defined(work), { signal }),
    );
  }

  /**
   * Rewrites a stored object in its present form.
   * @returns whether the object was written
   * @throws StatusError as the conversion and `write` do
   */
  rewrite(work: LargeRewrite, signal: EndSignal): Promise<boolean> {
    return this.inTurn({ user: "", bytes: 0 }, signal, (peer) => peer.call("rewrite", this.defined(work), { signal }));
  }

  /**
   * Calls the conversion webhook of a definition and reads its answer.
   * @throws StatusError as the conversion does; ServiceUnavailable (503) when the thread is lost meanwhile
   */
  async convert(work: LargeConversion, signal: EndSignal): Promise<readonly Buffer[]> {
    const made = await this.asked((peer) => peer.call("convert", this.defined(work), { signal }), "read");
    return made.map(bufferOf);
  }

  /**
   * Renders an entry in a form; see RenderInWorker.
   * @throws StatusError ServiceUnavailable (503) when the thread is lost meanwhile
   */
  async make(place: FormKey, what: RenderedPart, entry: Entry): Promise<unknown> {
    const { path, resourceVersion } = entry;
    const work: LargeRendering = { ...place, what, path, resourceVersion, stored: entry.stored() };
    const made = await this.asked((peer) => peer.call("render", this.defined(work)), "read");
    return made instanceof Uint8Array ? bufferOf(made) : made;
  }

  private defined<Work extends LargeObjectRoute>(work: Work): Work {
    const definedBy = this.deps.definitions.definedBy(work.route);
    return definedBy === undefined ? work : { ...work, definedBy };
  }

  close(): void {
    this.closed = true;
    for (const thread of this.threads) thread.end("the server is stopping");
  }

  private inTurn<Made>(
    of: { readonly user: string; readonly bytes: number },
    signal: EndSignal,
    ask: (peer: PortPeer<WorkerCalls>) => Promise<Made>,
  ): Promise<Made> {
    const done = this.queue.run(of, signal, () => this.asked(ask, "write"));
    if (done === undefined)
      throw tooManyRequests("too many requests for large objects are queued", { retryAfterSeconds: 1 });
    return done;
  }

  private async asked<Made>(ask: (peer: PortPeer<WorkerCalls>) => Promise<Made>, of: "read" | "write"): Promise<Made> {
    if (this.closed) throw serviceUnavailable("the server is stopping");
    try {
      return await this.leastBusy().use(ask);
    } catch (error) {
      if (!(error instanceof PeerLostError)) throw error;
      // The progress of a write is unknown here.
      throw of === "write"
        ? timeout(`the request could not be completed: ${error.message}`)
        : serviceUnavailable(error.message);
    }
  }

  /** Returns an idle thread, else a new one, else the one with the fewest calls under way. */
  private leastBusy(): LargeObjectThread {
    this.threads = this.threads.filter(({ ended }) => !ended);
    const [least] = this.threads.toSorted((one, other) => one.load - other.load);
    if (least !== undefined && (least.load === 0 || this.threads.length >= this.deps.threads)) return least;
    const started = new LargeObjectThread(this.deps);
    this.threads.push(started);
    return started;
  }
}

/** One thread, from its start to its end. */
class LargeObjectThread {
  ended = false;
  private readonly worker: Worker;
  private readonly peer: PortPeer<WorkerCalls>;
  private readonly watch: NodeJS.Timeout;
  private lastSignMs = performance.now();
  private lastWorkMs = performance.now();
  private pinging = false;

  constructor({
    config,
    vocabulary,
    configurations,
    store,
    otherStores,
    readers,
    webhooks,
    ...deps
  }: LargeObjectWorkersDeps) {
    const { authorizer, grants, ownAddresses, metrics, logger, definitions } = deps;
    const start: WorkerStart = { config, vocabulary: vocabulary.name, configurations };
    this.worker = new Worker(require.resolve("@orch/platform/bin/packed-thread"), {
      argv: [threadProgram()],
      workerData: start,
      resourceLimits: LIMITS,
      stderr: true,
    });
    // A pipe made by Node.js would end at the first line that the log cannot take.
    this.worker.stderr.on("data", (lines: Buffer) => logger.pass(lines.toString()));
    const offers: MainThreadCalls = {
      ...offeredStores([store, ...(otherStores?.stores ?? [])]),
      ...offeredReaders(readers),
      ...offeredWebhooks(webhooks),
      authorize: (attributes) => authorizer.authorize(attributes),
      dialRefusal: (at) => ownAddresses.refusal(at),
      heldBy: ({ user, namespace }) => grants.heldBy(user, namespace),
      definition: (of) => definitions.find(of),
      observed: (observations) => addObservations(metrics, observations),
    };
    this.peer = new PortPeer<WorkerCalls>(this.worker, offers, TYPED_ERRORS);
    this.worker.on("message", (message) => {
      this.lastSignMs = performance.now();
      this.peer.receive(message);
    });
    this.worker.on("error", (error) => {
      logger.error("a large-object worker failed", errorFields(error));
      this.end(error.message);
    });
    this.worker.on("exit", () => this.end("the worker thread ended"));
    this.watch = setInterval(() => this.look(logger), PING_MS).unref();
    this.worker.unref();
  }

  /** Number of calls without an answer yet. */
  get load(): number {
    return this.peer.pending;
  }

  async use<Made>(ask: (peer: PortPeer<WorkerCalls>) => Promise<Made>): Promise<Made> {
    if (this.peer.pending === 0) this.lastSignMs = performance.now();
    try {
      return await ask(this.peer);
    } finally {
      this.lastWorkMs = performance.now();
    }
  }

  end(why: string): void {
    if (this.ended) return;
    this.ended = true;
    clearInterval(this.watch);
    this.peer.lose(why);
    void this.worker.terminate();
  }

  private look(logger: Logger): void {
    const nowMs = performance.now();
    if (this.peer.pending === 0) {
      if (nowMs - this.lastWorkMs > IDLE_MS) this.end("the worker thread was idle");
      return;
    }
    if (nowMs - this.lastSignMs > STALLED_MS) {
      logger.error("a large-object worker does not respond and is terminated", {
        silentMs: Math.round(nowMs - this.lastSignMs),
      });
      this.end("the time limit was exceeded");
    } else if (!this.pinging) {
      this.pinging = true;
      this.peer.call("ping", undefined).then(
        () => {
          this.pinging = false;
        },
        () => {},
      );
    }
  }
}

/** Returns the compiled program, also when this file runs from sources. */
function threadProgram(): string {
  const beside = join(__dirname, "../server/large-objects/large-object-thread.js");
  return existsSync(beside) ? beside : join(__dirname, "../../dist/server/large-objects/large-object-thread.js");
}
