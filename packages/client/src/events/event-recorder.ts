// Tells people what a program does with an object, by Event objects beside it. Best effort: nobody waits for an event, and what the
// server does not take is dropped. Source: resource-api, "Events"; facts, client.md "Events".

import { isCode, StatusError } from "@orch/machinery";
import { type Chance, type Clock, type Log, pauseUnlessAborted, silentLog, systemClock } from "@orch/platform";
import { type eventsV1, microTimeText } from "@orch/schema";
import { builtInTypes } from "../discovery/built-in-types";
import type { Client } from "../requests/client";
import type { ResourceClient } from "../requests/resource-client";
import { type EventIdentity, EventMemory, QUIET_MS, type Series } from "./event-series";

/** The events of one namespace. */
export type EventAccess = Pick<ResourceClient<eventsV1.Event>, "create" | "patch">;

export interface EventRecorderOptions {
  /** The name of the program, such as `example.com/backup`: a qualified name. */
  readonly controller: string;
  /** Which of several that run, such as `<controller>-<host>`. */
  readonly instance: string;
  readonly events: (namespace: string) => EventAccess;
  readonly log?: Log;
  readonly clock?: Clock;
  readonly chance?: Chance;
}

/** What has happened, as `events` of the events group have it. */
export interface RecordedEvent extends EventIdentity {
  readonly regarding: NonNullable<eventsV1.Event["regarding"]>;
  readonly related?: eventsV1.Event["related"];
  /** Why, in one word: `BackupFailed`. */
  readonly reason: string;
  /** What the program was about to do, in one word: `Backup`. */
  readonly action: string;
  /** A sentence for people; cut at 1024 bytes. */
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
  private readonly chance: Chance;
  private readonly memory = new EventMemory<RecordedEvent>();
  private readonly waiting: Series<RecordedEvent>[] = [];
  private readonly ended = new AbortController();
  private sending: Promise<void> | undefined;
  private cancelSweep: (() => void) | undefined;
  private closing = false;

  /** A recorder that writes through a client, which stays the caller's to close. */
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

  /** Returns at once. An event that comes again within minutes is counted, not told anew. */
  record(event: RecordedEvent): void {
    if (this.closing) return;
    const news = this.memory.add(event, { nowMs: this.clock.now(), elapsedMs: this.clock.elapsed() });
    if (news !== undefined) this.enqueue(news);
    this.armSweep();
  }

  /** Sends what waits, for `timeoutMs` at most; nothing is recorded afterwards. */
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
      this.log.warn("an event is dropped, for too many wait", fieldsOf(series));
      return;
    }
    this.waiting.push({ ...series }); // as it is now
    this.sending ??= this.sendAll();
  }

  private async sendAll(): Promise<void> {
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
      if (this.ended.signal.aborted) break;
      await this.send(next);
    }
    this.sending = undefined;
  }

  /** A refusal is final; without an answer it is tried again. */
  private async send(series: Series<RecordedEvent>): Promise<void> {
    const { signal } = this.ended;
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        await this.write(series);
        return;
      } catch (error) {
        if (error instanceof StatusError || tries === TRIES) {
          this.log.info("an event was not taken", { ...fieldsOf(series), error: String(error) });
          return;
        }
        // The first pause is drawn, so that programs that lost the same server do not come back all at once.
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
      await access.create(event, { signal }); // events do not live long
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

/** No more bytes than an event may have, and no half of a character. */
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
