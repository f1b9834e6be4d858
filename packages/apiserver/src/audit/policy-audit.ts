// The audit as the policy wants it: which requests, and to whom their events go.
import type { ServerMetrics } from "../metrics/server-metrics";
import type { AuditEvent, AuditInterest, AuditSink, AuditSubject } from "./audit-event";
import { AUDIT_LEVELS } from "./audit-event";
import type { AuditBackend } from "./backends/backend";
import type { CompiledPolicy } from "./policy/compiled-policy";
import { type BodyTexts, NO_BODIES } from "./text/event-json";
import type { BodyReader } from "./thread/body-texts";

export interface PolicyAuditDeps {
  /** To be asked each time: it changes. */
  policy(): CompiledPolicy;
  readonly backends: readonly AuditBackend[];
  readonly bodies: BodyReader;
  readonly metrics: ServerMetrics;
}

export class PolicyAudit implements AuditSink {
  private readonly levels;
  private readonly events;
  /** Events whose bodies are being read. */
  private readonly reading = new Set<Promise<void>>();

  constructor(private readonly deps: PolicyAuditDeps) {
    const { metrics } = deps;
    const levels = metrics.counter("apiserver_audit_level_total");
    this.levels = new Map(AUDIT_LEVELS.map((level) => [level, levels.labels(level)]));
    this.events = metrics.counter("apiserver_audit_event_total");
  }

  wants(of: AuditSubject): AuditInterest | undefined {
    const { level, interest } = this.deps.policy().find(of);
    this.levels.get(level)?.inc();
    return interest;
  }

  hear(event: AuditEvent): void | Promise<void> {
    this.events.inc();
    if (event.requestBody === undefined && event.responseBody === undefined && !event.isCut) {
      return this.keep(event, NO_BODIES);
    }
    const reading = this.deps.bodies
      .read(event)
      .then((bodies) => this.keep(event, bodies))
      .finally(() => this.reading.delete(reading));
    this.reading.add(reading);
    return reading;
  }

  /** Once all that was heard is with the backends. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.reading);
  }

  private keep(event: AuditEvent, bodies: BodyTexts): void | Promise<void> {
    const waits: Promise<void>[] = [];
    for (const backend of this.deps.backends) {
      const late = backend.keep(event, bodies);
      if (late !== undefined) waits.push(late);
    }
    if (waits.length === 0) return;
    return waits.length === 1 ? waits[0] : Promise.all(waits).then(() => {});
  }
}
