// Token cleaner: deletes bootstrap token Secrets when they expire.
// Source: pkg/controller/bootstrap/tokencleaner.go.
import {
  builtInTypes,
  type Client,
  InformerFactory,
  keyOf,
  type QueueMetrics,
  type RequeueAfter,
  runWorkers,
  splitKey,
  WorkQueue,
} from "@orch/client";
import { bootstrapExpiryMs, isCode } from "@orch/machinery";
import { type coreV1, type JsonObject, vocabularyOf } from "@orch/schema";

export interface TokenCleaningOptions {
  readonly client: Client;
  readonly metrics?: (queue: string) => QueueMetrics;
}

export type TokenLot =
  | { readonly kind: "stays" }
  | { readonly kind: "waits"; readonly againAfterMs: number }
  | { readonly kind: "goes" };

/** @param secret a bootstrap token Secret; an unreadable expiry counts as expired */
export function lotOf(secret: coreV1.Secret, nowMs: number): TokenLot {
  const expiresAtMs = bootstrapExpiryMs(secret as JsonObject);
  if (expiresAtMs === Infinity) return { kind: "stays" };
  return expiresAtMs > nowMs ? { kind: "waits", againAfterMs: expiresAtMs - nowMs } : { kind: "goes" };
}

/** Runs the controller until the signal is aborted. */
export async function cleanTokens({ client, metrics }: TokenCleaningOptions, signal: AbortSignal): Promise<void> {
  const { namespaces, secretTypes } = vocabularyOf(client.vocabulary);
  const { secrets: type } = builtInTypes(client.vocabulary);
  const factory = new InformerFactory(client, { namespace: namespaces.system });
  const secrets = factory.informer(type, { fieldSelector: `type=${secretTypes.bootstrapToken}` });
  const queue = new WorkQueue({
    clock: client.clock,
    metrics: metrics?.("token_cleaner"),
  });
  const look = (secret: coreV1.Secret) => queue.add(keyOf(secret));
  secrets.addHandler({ added: look, updated: (_before, after) => look(after) });
  factory.start(signal);
  await factory.synced(signal).catch(() => {});

  async function reconcile(key: string): Promise<RequeueAfter | undefined> {
    const secret = secrets.store.get(key);
    const lot: TokenLot = secret === undefined ? { kind: "stays" } : lotOf(secret, client.clock.now());
    switch (lot.kind) {
      case "stays":
        return undefined;
      case "waits":
        return lot;
      case "goes":
        await remove(key, secret?.metadata?.uid);
        return undefined;
    }
  }

  async function remove(key: string, uid: string | undefined): Promise<void> {
    const { namespace, name } = splitKey(key);
    const preconditions = uid === undefined ? {} : { uid };
    try {
      await client.resource(type).namespace(namespace).delete(name, { preconditions });
    } catch (error) {
      // The Secret is gone or has changed; the watch reports it.
      if (!isCode(error, 404, 409)) throw error;
    }
  }
  await runWorkers({ queue, workers: 1, signal, log: client.log, reconcile });
  await factory.stopped();
}
