// Records Event objects about a program's actions on other objects, with best effort: no caller waits for an event, and
// events that the server rejects are dropped. Source: Kubernetes API reference, "Event v1 events.k8s.io".

import { isCode, StatusError } from "@orch/machinery";
import { type Clock, type Log, pauseUnlessAborted, type RandomSource, silentLog, systemClock } from "@orch/platform";
import { type eventsV1, microTimeText } from "@orch/schema";
import { builtInTypes } from "../discovery/built-in-types";
import type { Client } from "../requests/client";
import type { ResourceClient } from "../requests/resource-client";
import { type EventIdentity, EventMemory, QUIET_MS, type Series } from "./event-series";

/** Events of one namespace. */
export type EventAccess = Pick<ResourceClient<eventsV1.Event>, "create" | "patch">;

export interface EventRecorderOptions {
  /** Name of the program, such as `example.com/backup`: a qualified name. */
  readonly controller: string;
  /** Name of the instance, such as `<controller>-<host>`. */
  readonly instance: string;
  readonly events: (namespace: string) => EventAccess;
  readonly log?: Log;
  readonly clock?: Clock;
  readonly chance?: RandomSource;
}

/** An event, with the fields of `events` in the events group. */
export interface RecordedEvent extends EventIdentity {
  readonly regarding: NonNullable<eventsV1.Event["regarding"]>;
  readonly related?: eventsV1.Event["related"];
  /** Reason in one word: `BackupFailed`. */
  readonly reason: string;
  /** Action in one word: `Backup`. */
  readonly action: string;
  /** A sentence for people, truncated to 1024 bytes. */
  readonly note: string;
}

export type EventSink = Pick<EventRecorder, "record">;

const WAITING_MAX = 1000;
const TRIES = 12;
const RETRY_MS = 10_000;
const NOTE_MAX_BYTES = 1024;
/** Holds the events of objects without a namespace. Source: k8s.io/client-go, tools/record/event.go, makeEvent. */
const NAMESPACE_OF_CLUSTER = "default";

export class EventRecorder {
  private readonly log: Log;
  private readonly clock: Clock;
  private readonly chance: RandomSource;
  private readonly memory = new EventMemory<RecordedEvent>();
  private readonly waiting: Series<RecordedEvent>[] = [];
  private readonly ended = new AbortController();
  private sending: Promise<void> | undefined;
  private cancelSweep: (() => void) | undefined;
  private closing = false;

  /** Returns a recorder that writes through a client. The caller closes the client. */
  static through(client: Client, by: Pick<EventRecorderOptions, "controller" | "instance">): EventRecorder {
    const { vocabulary, log, clock, chance } = client;
    const events = client.resource(builtInTypes(vocabulary).events);
    return new EventRecorder({
      ...by,
      events: (namespace) => events.namespace(namespace),
      log,
      clock,
      chance,
    });
  }

  constructor(private readonly options: EventRecorderOptions) {
    const { log = silentLog, clock = systemClock, chance = Math.random } = options;
    this.log = log;
    this.clock = clock;
    this.chance = chance;
  }

  /** Records an event and returns at once. A repeated event within minutes is counted in the series of the first. */
  record(event: RecordedEvent): void {
    if (this.closing) return;
    const news = this.memory.add(event, { nowMs: this.clock.now(), elapsedMs: this.clock.elapsed() });
    if (news !== undefined) this.enqueue(news);
    this.armSweep();
  }

  /** Sends the queued events within `timeoutMs`. Later events are dropped. */
  async close(timeoutMs = 2_000): Promise<void> {
    this.closing = true;
    this.cancelSweep?.();
    for (const series of this.memory.end(this.clock.elapsed())) this.enqueue(series);
    if (this.sending !== undefined) {
      let cancel = (): void => {};
      const late = new Promise<void>((resolve) => {
        cancel = this.clock.after(timeoutMs, resolve);
      });
      await Promise.race([this.sending, late]);
      cancel();
    }
    this.ended.abort(new Error("the recorder is closed"));
  }

  private armSweep(): void {
    if (this.cancelSweep !== undefined || this.memory.isEmpty) return;
    const sweep = (): void => {
      this.cancelSweep = undefined;
      for (const series of this.memory.sweep(this.clock.elapsed())) this.enqueue(series);
      this.armSweep();
    };
    this.cancelSweep = this.clock.after(QUIET_MS, sweep, { background: true });
  }

  private enqueue(series: Series<RecordedEvent>): void {
    if (this.waiting.length >= WAITING_MAX) {
      this.log.warn("an event was dropped: the queue is full", fieldsOf(series));
      return;
    }
    this.waiting.push({ ...series }); // a copy of the present state
    this.sending ??= this.sendAll();
  }

  private async sendAll(): Promise<void> {
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
      if (this.ended.signal.aborted) break;
      await this.send(next);
    }
    this.sending = undefined;
  }

  /** Sends an event. A rejection is final; a request without a response is retried. */
  private async send(series: Series<RecordedEvent>): Promise<void> {
    const { signal } = this.ended;
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        await this.write(series);
        return;
      } catch (error) {
        if (error instanceof StatusError || tries === TRIES) {
          this.log.info("the server rejected an event", { ...fieldsOf(series), error: String(error) });
          return;
        }
        // The first delay is random, so that programs that lost the same server do not retry at the same time.
        await pauseUnlessAborted(this.clock, tries === 1 ? RETRY_MS * this.chance() : RETRY_MS, signal);
      }
    }
  }

  private async write(series: Series<RecordedEvent>): Promise<void> {
    const { signal } = this.ended;
    const event = this.eventOf(series);
    const access = this.options.events(event.metadata.namespace ?? "");
    if (event.series === undefined) {
      await access.create(event, { signal });
      return;
    }
    try {
      await access.patch(series.name, "merge", { series: event.series }, { signal });
    } catch (error) {
      if (!isCode(error, 404)) throw error;
      await access.create(event, { signal }); // events expire soon
    }
  }

  private eventOf({ event, name, firstAt, lastAt, count }: Series<RecordedEvent>): eventsV1.Event {
    const { controller, instance } = this.options;
    const { regarding, related, type, reason, action, note } = event;
    return {
      metadata: { name, namespace: regarding.namespace || NAMESPACE_OF_CLUSTER },
      eventTime: microTimeText(firstAt),
      ...(count === 1 ? {} : { series: { count, lastObservedTime: microTimeText(lastAt) } }),
      reportingController: controller,
      reportingInstance: instance,
      action,
      reason,
      regarding,
      ...(related === undefined ? {} : { related }),
      note: cut(note),
      type,
    };
  }
}

/** Truncates a note to the maximum length without splitting a character. */
function cut(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= NOTE_MAX_BYTES) return note;
  let end = NOTE_MAX_BYTES;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString("utf8", 0, end);
}

const fieldsOf = ({ event, count }: Series<RecordedEvent>) => ({
  reason: event.reason,
  regarding: `${event.regarding.kind ?? ""} ${event.regarding.namespace ?? ""}/${event.regarding.name ?? ""}`,
  count,
});
