// Applies the audit policy to requests and passes their events to the backends.
import type { NamedMetrics } from "@orch/platform";
import type { AuditBackend } from "../backends/backend";
import type { AuditEvent, AuditInterest, AuditSink, AuditSubject } from "../event/audit-event";
import { AUDIT_LEVELS } from "../event/audit-event";
import { both } from "../event/both";
import type { CompiledPolicy } from "../policy/compiled-policy";
import { type BodyTexts, NO_BODIES } from "../text/event-json";
import type { BodyReader } from "../thread/body-texts";

export interface PolicyAuditDeps {
  /** Called for each request, because the policy may change. */
  policy(): CompiledPolicy;
  readonly backends: readonly AuditBackend[];
  readonly bodies: BodyReader;
  readonly metrics: NamedMetrics<"apiserver_audit_event_total" | "apiserver_audit_level_total">;
  /** Called when an event could not be delivered. */
  failed(error: Error): void;
}

export class PolicyAudit implements AuditSink {
  private readonly levels;
  private readonly events;
  /** Events whose bodies are being read. */
  private readonly reading = new Set<Promise<void>>();
  /**
   * Events of the current turn of the event loop, when no backend may delay a request. Encoding them together costs
   * half of what it costs
   * between requests, when the processor's caches have been overwritten.
   */
  private waiting: AuditEvent[] = [];
  private readonly mayDelay: boolean;

  constructor(private readonly deps: PolicyAuditDeps) {
    const { metrics } = deps;
    const levels = metrics.counter("apiserver_audit_level_total");
    this.levels = new Map(AUDIT_LEVELS.map((level) => [level, levels.labels(level)]));
    this.events = metrics.counter("apiserver_audit_event_total").labels();
    this.mayDelay = deps.backends.some((backend) => backend.mayDelay);
  }

  wants(of: AuditSubject): AuditInterest | undefined {
    const { level, interest } = this.deps.policy().find(of);
    this.levels.get(level)?.inc();
    return interest;
  }

  hear(event: AuditEvent): void | Promise<void> {
    if (event.requestBody === undefined && event.responseBody === undefined && !event.isCut) {
      if (this.mayDelay) {
        this.events.inc();
        return this.keep(event, NO_BODIES);
      }
      if (this.waiting.push(event) === 1) setImmediate(this.keepWaiting);
      return;
    }
    this.events.inc();
    const reading = this.deps.bodies
      .read(event)
      .then((bodies) => {
        this.keepWaiting(); // Keeps the order of events.
        return this.keep(event, bodies);
      })
      .finally(() => this.reading.delete(reading));
    this.reading.add(reading);
    return reading;
  }

  private readonly keepWaiting = (): void => {
    const events = this.waiting;
    if (events.length === 0) return;
    this.waiting = [];
    this.events.inc(events.length);
    for (const event of events) {
      try {
        void this.keep(event, NO_BODIES);
      } catch (error) {
        this.deps.failed(error as Error);
      }
    }
  };

  /** Resolves once all events are with the backends. */
  async settled(): Promise<void> {
    this.keepWaiting();
    await Promise.allSettled(this.reading);
  }

  private keep(event: AuditEvent, bodies: BodyTexts): void | Promise<void> {
    let waits: Promise<void> | undefined;
    for (const backend of this.deps.backends) waits = both(waits, backend.keep(event, bodies));
    return waits;
  }
}
