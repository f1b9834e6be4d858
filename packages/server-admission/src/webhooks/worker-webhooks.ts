// Webhooks as a large-object worker calls them: through the main thread, which holds their connections and circuits.

import { WebhookCallError, type WebhookCaller, type WebhookTarget } from "@orch/admission";
import { bufferOf, type EndSignal } from "@orch/platform";

interface AskedCall {
  readonly target: WebhookTarget;
  readonly body: Uint8Array;
  readonly timeoutMs: number;
  /** Absent: no credentials are sent. */
  readonly credentialsFile?: string;
}

/** A type alias, because the calls between threads are typed by it. */
export type OfferedWebhooks = {
  /** @returns the answer; a text is the error of the call */
  readonly callWebhook: (asked: AskedCall, signal: EndSignal) => Promise<Uint8Array | string>;
};

export function offeredWebhooks(caller: WebhookCaller): OfferedWebhooks {
  const byFile = new Map<string, WebhookCaller>();
  const callerFor = (file: string | undefined): WebhookCaller => {
    if (file === undefined) return caller;
    const known = byFile.get(file) ?? caller.withCredentials(file);
    byFile.set(file, known);
    return known;
  };
  return {
    async callWebhook({ target, body, timeoutMs, credentialsFile }, signal) {
      try {
        return await callerFor(credentialsFile).call(target, bufferOf(body), { timeoutMs, signal });
      } catch (error) {
        if (error instanceof WebhookCallError) return error.message;
        throw error;
      }
    },
  };
}

export function workerWebhooks(call: OfferedWebhooks["callWebhook"], credentialsFile?: string): WebhookCaller {
  return {
    withCredentials: (file) => workerWebhooks(call, file),
    async call(target, body, { timeoutMs, signal }) {
      const leftMs = Math.min(timeoutMs, (signal.endsAtMs ?? Number.POSITIVE_INFINITY) - performance.now());
      const asked = { target, body, timeoutMs: leftMs, ...(credentialsFile === undefined ? {} : { credentialsFile }) };
      const said = await call(asked, signal);
      if (typeof said === "string") throw new WebhookCallError(said);
      return bufferOf(said);
    },
  };
}
