// Sends audit events to a webhook as an EventList, with retries and exponential backoff. Source: Kubernetes
// documentation, "Auditing", "Webhook backend".
import type { Client } from "@orch/client";
import { type Clock, pauseMsAfter, pauseUnlessAborted } from "@orch/platform";
import type { EventText } from "../text/event-json";

export interface WebhookOptions {
  /** API version of the events and of their list. */
  readonly apiVersion: string;
  readonly firstBackoffMs: number;
}

export interface WebhookDeps {
  readonly clock: Clock;
  readonly chance: () => number;
  /** Called for each request, because the configuration may have changed. */
  client(): Pick<Client, "postJson">;
}

const TRIES = 5;
const GROWTH = 1.5;
const JITTER = 0.2;
const MAX_PAUSE_MS = 60_000;
const TIMEOUT_MS = 30_000;
/** Maximum size of an answer, which is ignored. */
const ANSWER_MAX_BYTES = 64 * 1024;

/** @throws the error of the last try */
export type SendEvents = (events: readonly EventText[], signal: AbortSignal) => Promise<void>;

export function webhookSender({ apiVersion, firstBackoffMs }: WebhookOptions, deps: WebhookDeps): SendEvents {
  const head = Buffer.from(`{"kind":"EventList","apiVersion":${JSON.stringify(apiVersion)},"metadata":{},"items":[`);
  const growth = { firstMs: firstBackoffMs, factor: GROWTH, maxMs: Math.max(MAX_PAUSE_MS, firstBackoffMs) };

  return async (events, signal) => {
    const body = listBytes(head, events);
    for (let tries = 1; ; tries += 1) {
      try {
        await deps.client().postJson(body, { signal, timeoutMs: TIMEOUT_MS, answerMaxBytes: ANSWER_MAX_BYTES });
        return;
      } catch (error) {
        if (tries >= TRIES || signal.aborted) throw error;
        await pauseUnlessAborted(deps.clock, pauseMsAfter(growth, tries - 1) * (1 + JITTER * deps.chance()), signal);
      }
    }
  };
}

function listBytes(head: Buffer, events: readonly EventText[]): Buffer {
  const parts: Uint8Array[] = [head];
  let text = "";
  for (const [at, { pieces }] of events.entries()) {
    if (at > 0) text += ",";
    for (const piece of pieces) {
      if (typeof piece === "string") text += piece;
      else {
        parts.push(Buffer.from(text), piece);
        text = "";
      }
    }
  }
  parts.push(Buffer.from(`${text}]}`));
  return Buffer.concat(parts);
}
