// API Priority and Fairness: each request belongs to a flow, each flow to a priority level, and a level has a number of
// seats. A request is admitted at once when there are seats and no request waits; otherwise it waits in a queue of its
// flow, and is refused when the queue is full. Source: Kubernetes documentation, "API Priority and Fairness"; KEP-1040.
import type { UserInfo } from "@orch/machinery";
import type { Clock } from "@orch/platform";
import type { RequestContext, RequestInfo } from "@orch/request";
import type { Vocabulary } from "@orch/schema";
import { LoopShare } from "../levels/loop-share";
import type { PriorityLevel } from "../levels/priority-level";
import { LENDING_MS, PriorityLevels } from "../levels/priority-levels";
import type { Queued, Waiting } from "../queues/fair-queues";
import { flowHash } from "../queues/shuffle-deal";
import { Refusals } from "../requests/refusals";
import { aboutRequest, distinguisherOf, targetOf, widthOf } from "../requests/request-flow";
import type { RequestWidth } from "../requests/request-width";
import { FlowIndex } from "../schemas/flow-index";
import type { FlowSpec, LevelSpec } from "../schemas/flow-spec";
import { FairnessMetrics, type FlowControlMetrics, REQUEST_KINDS, type RequestKind } from "./fairness-metrics";
import { Flow } from "./flow";
import type { Awaited, InFlightControl, ReleaseSeat } from "./in-flight-control";

export interface FairnessOptions {
  /** Their sum is the number of seats. */
  readonly maxReading: number;
  readonly maxMutating: number;
  /** `--request-timeout`; the maximum wait is a quarter of it. */
  readonly requestTimeoutMs: number;
  readonly metrics: FlowControlMetrics;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  /** Whether the event loop has been mostly busy since the last call. */
  readonly isBusy: () => boolean;
  /** Runs the callback in the next turn of the event loop. */
  readonly later: (callback: () => void) => void;
  /**
   * Seed of the hash that chooses a flow's queues: private to this process, so that clients cannot predict which flows
   * share a queue.
   */
  readonly seed: number;
}

/** Configuration of priority levels and flow schemas. */
export interface FlowControlConfig {
  readonly levels: readonly LevelSpec[];
  /** In order of precedence, without flow schemas of missing levels. The last one matches every request. */
  readonly flows: readonly FlowSpec[];
}

/** Maximum number of waiting requests of all levels: each holds a connection and memory. */
const WAITING_MAX = 50_000;
const SHOWN_EVERY_MS = 1000;
/**
 * Time budget in each turn of the event loop. While requests wait, new requests are read and queued, and executing ones
 * are finished.
 */
const TURN = { atOnceMs: 1, waitingMs: 0.5 };
/** Limits of refusals, about a tenth of a core. Waiting refusals hold only their connections. */
const REFUSALS = { perSecond: 1000, burst: 200, waitingMax: 20_000 };
const READING_VERBS = new Set(["get", "list", "watch"]);

/** Without queues, seats have no limit per holder. */
const holderIn = ({ limited }: PriorityLevel, user: UserInfo): string | undefined =>
  limited?.queuing === undefined ? undefined : user.name;

interface KindInWork {
  readonly max: number;
  executing: number;
  highest: number;
  waiting: number;
  /** Maximum of `waiting` since the metric was set. */
  mostWaiting: number;
}

export class FairnessControl implements InFlightControl {
  readonly countsWatches = true;
  readonly levels: PriorityLevels;
  private readonly loop: LoopShare;
  private readonly refusals: Refusals;
  private index = new FlowIndex<FlowSpec>();
  private flows: ReadonlyMap<FlowSpec, Flow> = new Map();
  private catchAll: FlowSpec | undefined;
  private readonly metrics: FairnessMetrics;
  private readonly dropped: { inc(labels: { request_kind: RequestKind }): void };
  private readonly kinds: Readonly<Record<RequestKind, KindInWork>>;
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(private readonly options: FairnessOptions) {
    const { maxReading, maxMutating, requestTimeoutMs, clock, metrics, isBusy, later } = options;
    this.loop = new LoopShare({ nowMs: () => clock.elapsed(), isBusy, later, ...TURN });
    this.refusals = new Refusals({ clock, ...REFUSALS });
    this.levels = new PriorityLevels({
      ready: (level) => this.loop.ready(level),
      isLoopBusy: () => this.loop.isBusy,
      clock,
      seats: maxReading + maxMutating,
      waitMs: requestTimeoutMs / 4,
      waitingMax: WAITING_MAX,
    });
    this.metrics = new FairnessMetrics(metrics, () => clock.elapsed());
    this.dropped = metrics.counter("apiserver_dropped_requests_total");
    this.kinds = { readOnly: noneOf(maxReading), mutating: noneOf(maxMutating) };
  }

  /** Replaces the configuration; waiting and executing requests keep their places. Resolves once it is in force. */
  async replace({ levels, flows }: FlowControlConfig, turn: () => Promise<void> | undefined): Promise<void> {
    const index = new FlowIndex<FlowSpec>();
    for (const spec of flows) {
      index.add(spec, spec);
      const waits = turn();
      if (waits !== undefined) await waits;
    }
    this.levels.replace(levels);
    this.flows = new Map(flows.map((spec) => [spec, this.flowOf(spec)]));
    this.index = index;
    this.catchAll = flows.at(-1);
    this.forgetGone();
  }

  admit(context: RequestContext): ReleaseSeat | undefined | Awaited {
    const { info, user } = context;
    const spec = this.specFor(info, user) ?? this.catchAll;
    const flow = spec && this.flows.get(spec);
    // Before the configuration is known, only requests outside flow control arrive here; see the start of the server.
    if (flow === undefined) return FREE;
    const kind: RequestKind = READING_VERBS.has(info.verb) ? "readOnly" : "mutating";
    const { level } = flow;
    if (level.limited === undefined) return this.begin(context, flow, kind, EXEMPT, undefined, this.nowMs());
    const width = widthOf(info);
    const nowMs = this.nowMs();
    // A level without queues does not refuse requests because the event loop is busy.
    const inTurn = !this.loop.isSpent(nowMs) || level.limited.queuing === undefined;
    if (inTurn && level.queues.tryTake(width.seats, holderIn(level, user)))
      return this.begin(context, flow, kind, width, undefined, nowMs);
    return this.wait(context, flow, kind, width);
  }

  /** A request for several resources belongs to the last schema in the order of precedence that a part belongs to. */
  private specFor(info: RequestInfo, user: UserInfo): FlowSpec | undefined {
    if (info.kind !== "several") return this.index.classify(user, targetOf(info));
    let last: FlowSpec | undefined;
    for (const part of info.parts) {
      const spec = this.index.classify(user, targetOf(part.info)) ?? this.catchAll;
      if (spec !== undefined && (last === undefined || comesAfter(spec, last))) last = spec;
    }
    return last;
  }

  start(): void {
    const gauge = this.options.metrics.gauge("apiserver_current_inflight_requests");
    const queued = this.options.metrics.gauge("apiserver_current_inqueue_requests");
    const show = () => {
      for (const request_kind of REQUEST_KINDS) {
        const inWork = this.kinds[request_kind];
        gauge.set({ request_kind }, inWork.highest);
        queued.set({ request_kind }, inWork.mostWaiting);
        inWork.mostWaiting = inWork.waiting;
        inWork.highest = inWork.executing;
      }
      if (this.levels.sweep()) this.forgetGone();
      this.metrics.show(this.levels.all(), this.levels.fairFraction);
    };
    this.timers.push(setInterval(show, SHOWN_EVERY_MS).unref());
    this.timers.push(setInterval(() => this.levels.lend(this.nowMs()), LENDING_MS).unref());
  }

  close(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.levels.close();
    this.refusals.close();
  }

  private forgetGone(): void {
    const flows = new Set([...this.flows.keys()].map(({ level, name }) => `${level} ${name}`));
    this.metrics.forget({
      level: (name) => this.levels.get(name) !== undefined,
      flow: (level, schema) => flows.has(`${level} ${schema}`),
    });
  }

  private flowOf(spec: FlowSpec): Flow {
    const level = this.levels.get(spec.level);
    if (level === undefined) throw new Error(`flow schema ${spec.name} refers to a priority level that does not exist`);
    const { flowSchemaUid, priorityLevelUid } = this.options.vocabulary.headers;
    return new Flow(spec, level, [flowSchemaUid, spec.uid, priorityLevelUid, level.spec.uid], this.metrics);
  }

  /** Starts a request that has its seats. */
  private begin(
    context: RequestContext,
    flow: Flow,
    kind: RequestKind,
    width: RequestWidth,
    queued: Queued | undefined,
    beganMs: number,
  ): ReleaseSeat {
    const { level, figures } = flow;
    const holder = queued === undefined ? holderIn(level, context.user) : queued.waiting.holder;
    const type = context.info.verb === "watch" ? "watch" : "regular";
    context.flowHeaders = flow.headers;
    level.dispatched += 1;
    level.executing += 1;
    figures.executing += 1;
    figures.executingSeats += width.seats;
    figures.dispatched += 1;
    figures.estimatedSeats.observe(Math.max(1, width.seats));
    if (width.watchers !== undefined) figures.watchers.observe(width.watchers);
    if (queued !== undefined) context.queuedMs = beganMs - queued.arrivedMs;
    figures.waitSeconds.observe(context.queuedMs / 1000);
    const inWork = this.kinds[kind];
    inWork.executing += 1;
    if (inWork.executing > inWork.highest) inWork.highest = inWork.executing;
    this.executes(flow, kind, beganMs);
    return () => {
      const nowMs = this.nowMs();
      const seconds = (nowMs - beganMs) / 1000;
      level.executing -= 1;
      figures.executing -= 1;
      figures.executingSeats -= width.seats;
      inWork.executing -= 1;
      figures.executionSeconds[type].observe(seconds);
      this.executes(flow, kind, nowMs);
      if (width.seats === 0) return;
      const give = () => level.queues.finish(width.seats, queued?.queue, seconds + width.afterMs / 1000, holder);
      if (width.afterMs === 0) give();
      else this.options.clock.after(width.afterMs, give, { background: true });
    };
  }

  private wait(context: RequestContext, flow: Flow, kind: RequestKind, width: RequestWidth): undefined | Awaited {
    const { level, figures, spec } = flow;
    const { end, info, user } = context;
    const distinguisher = distinguisherOf(spec.distinguisher, info, user);
    const place = new AwaitedPlace();
    const stopsWaiting = ({ arrivedMs }: Queued, isWorkedOn = false): void => {
      const nowMs = this.nowMs();
      end.removeEventListener("abort", left);
      figures.waiting -= 1;
      figures.waitingSeats -= width.seats;
      this.kinds[kind].waiting -= 1;
      if (!isWorkedOn) figures.givenUpSeconds.observe((nowMs - arrivedMs) / 1000);
      this.waits(flow, kind, nowMs);
    };
    const waiting: Waiting = {
      width: width.seats,
      holder: user.name,
      about: () => ({ schema: spec.name, distinguisher, ...aboutRequest(info, user) }),
      begin: (of) => {
        stopsWaiting(of, true);
        place.settle(this.begin(context, flow, kind, width, of, this.nowMs()));
      },
      refuse: (of, why) => {
        stopsWaiting(of);
        this.refused(flow, kind, why);
        place.settle(undefined);
      },
    };
    const queued = level.queues.enqueue(waiting, flowHash(spec.name, distinguisher, this.options.seed));
    if (typeof queued === "string") {
      this.refused(flow, kind, queued);
      return this.refusedLater(context, place);
    }
    const left = (): void => {
      level.queues.leave(queued);
      level.cancelled += 1;
      stopsWaiting(queued);
      place.settle(undefined);
    };
    figures.waiting += 1;
    figures.waitingSeats += width.seats;
    const inQueue = this.kinds[kind];
    inQueue.waiting += 1;
    if (inQueue.waiting > inQueue.mostWaiting) inQueue.mostWaiting = inQueue.waiting;
    figures.queueLength.observe(queued.queue.waiting.size);
    this.waits(flow, kind, queued.arrivedMs);
    end.addEventListener("abort", left);
    return place;
  }

  /** @returns undefined when the refusal is due now */
  private refusedLater({ end }: RequestContext, place: AwaitedPlace): undefined | Awaited {
    const give = (): void => {
      end.removeEventListener("abort", left);
      place.settle(undefined);
    };
    const held = this.refusals.hold(give);
    if (held === undefined) return undefined;
    const left = (): void => {
      this.refusals.drop(held);
      give();
    };
    end.addEventListener("abort", left);
    return place;
  }

  private refused({ level, figures }: Flow, kind: RequestKind, why: Parameters<Waiting["refuse"]>[1]): void {
    if (why === "time-out") level.timedOut += 1;
    else level.rejected += 1;
    figures.rejected(why);
    this.dropped.inc({ request_kind: kind });
  }

  private executes({ level, occupancy }: Flow, kind: RequestKind, nowMs: number): void {
    occupancy.executing.set(part(level.executing, level.queues.limit), nowMs);
    const { executing, max } = this.kinds[kind];
    this.metrics.kinds[kind].executing.set(part(executing, max), nowMs);
    occupancy.seats(level, nowMs);
    if (this.levels.lends) level.demand.set(level.seatsWanted, nowMs);
  }

  private waits({ level, occupancy }: Flow, kind: RequestKind, nowMs: number): void {
    occupancy.waiting.set(part(level.queues.waitingRequests, level.queues.limit), nowMs);
    const { waiting, max } = this.kinds[kind];
    this.metrics.kinds[kind].waiting.set(part(waiting, max), nowMs);
    occupancy.seats(level, nowMs);
    if (this.levels.lends) level.demand.set(level.seatsWanted, nowMs);
  }

  private nowMs(): number {
    return this.options.clock.elapsed();
  }
}

const comesAfter = (one: FlowSpec, other: FlowSpec): boolean =>
  one.precedence > other.precedence || (one.precedence === other.precedence && one.name > other.name);

/** Outcome of a waiting request. */
class AwaitedPlace implements Awaited {
  private settled: (leave: ReleaseSeat | undefined) => void = () => {};

  whenSettled(settled: (leave: ReleaseSeat | undefined) => void): void {
    this.settled = settled;
  }

  settle(leave: ReleaseSeat | undefined): void {
    this.settled(leave);
  }
}

const FREE: ReleaseSeat = () => {};
const EXEMPT: RequestWidth = { seats: 0, afterMs: 0 };

const noneOf = (max: number): KindInWork => ({ max, executing: 0, highest: 0, waiting: 0, mostWaiting: 0 });

const part = (count: number, of: number): number => (of > 0 ? Math.min(count / of, 1) : 0);
