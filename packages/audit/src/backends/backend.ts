// Audit backends: a file or a webhook. Each has its own version, format and mode of blocking.
import type { Clock } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import type { AuditEvent } from "../event/audit-event";
import { type BodyTexts, type EventEncoder, type EventText, eventEncoder } from "../text/event-json";
import { legacyLine } from "../text/legacy-line";
import { Batches, type BatchOptions } from "./batches";
import type { LogFile } from "./log-file";
import type { SendEvents } from "./webhook";

export type AuditMode = "batch" | "blocking" | "blocking-strict";
export const AUDIT_MODES = ["batch", "blocking", "blocking-strict"] as const satisfies readonly AuditMode[];

export interface AuditBackend {
  /** Whether requests may wait for the backend. */
  readonly mayDelay: boolean;
  /** @returns a promise when the request must wait; rejected when the request must be refused */
  keep(event: AuditEvent, bodies: BodyTexts): void | Promise<void>;
  /** Flushes the queued events. @param boundMs maximum time */
  close(boundMs: number): Promise<void>;
}

/** Metrics and log lines for failures of a backend. */
export interface AuditBackendFailures {
  /** @param plugin plugin name in metrics */
  lost(plugin: "log" | "webhook" | "buffered" | "truncate", events: number, error: Error): void;
  /** An event was kept without a body that it should have. */
  withoutBody(error: Error): void;
}

export interface BackendOptions {
  readonly mode: AuditMode;
  readonly batches: Omit<BatchOptions, "parallel">;
  /** Maximum size of one event; absent: no truncation. */
  readonly eventMaxBytes: number | undefined;
}

export interface BackendParts extends BackendOptions {
  readonly clock: Clock;
  readonly encode: EventEncoder;
  readonly trouble: AuditBackendFailures;
}

export function logBackend(file: LogFile, parts: BackendParts): AuditBackend {
  const { trouble, mode } = parts;
  const encode = cutting(parts);
  const write = (text: EventText): void => {
    try {
      file.write(text);
    } catch (error) {
      trouble.lost("log", 1, error as Error);
    }
  };
  const batches = mode === "batch" ? batchesOf(parts, 1, async (batch) => batch.forEach(write)) : undefined;
  return {
    mayDelay: mode === "blocking-strict",
    keep(event, bodies) {
      const text = encode(event, bodies);
      if (text === undefined) return undefined;
      if (mode === "blocking-strict" && event.stage === "RequestReceived") return file.written(text);
      if (batches === undefined) write(text);
      else batches.add(text);
      return undefined;
    },
    async close(boundMs) {
      await batches?.close(boundMs);
      const late = await file.close(boundMs);
      if (late > 0) trouble.lost("log", late, new Error("the server stopped before the events were written"));
    },
  };
}

/** Maximum number of concurrent batches to a webhook. */
const PARALLEL = 4;
const EVENTS_ON_THEIR_WAY = 400;

export function webhookBackend(send: SendEvents, parts: BackendParts): AuditBackend {
  const { trouble, mode } = parts;
  const encode = cutting(parts);
  const end = new AbortController();
  const sent = (batch: readonly EventText[], signal: AbortSignal): Promise<void> =>
    send(batch, signal).catch((error: unknown) => trouble.lost("webhook", batch.length, error as Error));
  if (mode === "batch") {
    const batches = batchesOf(parts, PARALLEL, sent);
    return {
      mayDelay: false,
      keep(event, bodies) {
        const text = encode(event, bodies);
        if (text !== undefined) batches.add(text);
      },
      close: (boundMs) => batches.close(boundMs).then(() => {}),
    };
  }
  const onTheirWay = new Set<Promise<void>>();
  return {
    mayDelay: true,
    keep(event, bodies) {
      const text = encode(event, bodies);
      if (text === undefined) return undefined;
      const isFirst = event.stage === "RequestReceived";
      if (onTheirWay.size >= EVENTS_ON_THEIR_WAY) {
        const error = new Error("too many audit events are being sent");
        trouble.lost("webhook", 1, error);
        return isFirst && mode === "blocking-strict" ? Promise.reject(error) : undefined;
      }
      const tried = send([text], end.signal);
      const done: Promise<void> = tried
        .catch((error: unknown) => trouble.lost("webhook", 1, error as Error))
        .finally(() => onTheirWay.delete(done));
      onTheirWay.add(done);
      if (!isFirst) return undefined;
      return mode === "blocking-strict" ? tried : done;
    },
    async close(boundMs) {
      const cancel = parts.clock.after(boundMs, () => end.abort());
      await Promise.all(onTheirWay);
      cancel();
    },
  };
}

function batchesOf(
  { batches: options, clock, trouble }: BackendParts,
  parallel: number,
  send: (batch: readonly EventText[], signal: AbortSignal) => Promise<void>,
): { add(text: EventText): void; close(boundMs: number): Promise<void> } {
  const batches = new Batches({ ...options, parallel }, { clock, send });
  const full = new Error("the buffer of audit events is full");
  return {
    add(text) {
      if (!batches.add(text)) trouble.lost("buffered", 1, full);
    },
    async close(boundMs) {
      const late = await batches.close(boundMs);
      if (late > 0) trouble.lost("buffered", late, new Error("the server stopped before the events were sent"));
    },
  };
}

/**
 * Truncates an event that is too large: first its bodies are dropped, then the event. Source:
 * staging/src/k8s.io/apiserver/plugin/pkg/audit/truncate/truncate.go.
 */
function cutting({ encode, eventMaxBytes, trouble }: BackendParts) {
  return (event: AuditEvent, bodies: BodyTexts): EventText | undefined => {
    const text = encode(event, bodies);
    if (eventMaxBytes === undefined || text.bytes <= eventMaxBytes) return text;
    const short = encode(event, { truncated: true });
    if (short.bytes <= eventMaxBytes) return short;
    trouble.lost("truncate", 1, new Error("an audit event is too large even without request and response bodies"));
    return undefined;
  };
}

/** Backends of the same version and format share the encoded event. */
export function encoders(vocabulary: Vocabulary): (form: "json" | "legacy", apiVersion: string) => EventEncoder {
  const made = new Map<string, EventEncoder>();
  return (form, apiVersion) => {
    if (form === "legacy") return legacy;
    let encode = made.get(apiVersion);
    if (encode === undefined) {
      encode = once(eventEncoder(vocabulary, apiVersion));
      made.set(apiVersion, encode);
    }
    return encode;
  };
}

const legacy: EventEncoder = (event) => {
  const text = legacyLine(event);
  return { pieces: [text], bytes: text.length };
};

function once(encode: EventEncoder): EventEncoder {
  let event: AuditEvent | undefined;
  let bodies: BodyTexts | undefined;
  let text: EventText | undefined;
  return (of, ofBodies) => {
    if (text === undefined || event !== of || bodies !== ofBodies) {
      text = encode(of, ofBodies);
      event = of;
      bodies = ofBodies;
    }
    return text;
  };
}
