// Controller that keeps the cluster-info map signed with every signing token. It does not create the map.
// Source: pkg/controller/bootstrap/bootstrapsigner.go.
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  builtInTypes,
  type Client,
  InformerFactory,
  type QueueMetrics,
  type RequeueAfter,
  runWorkers,
  WorkQueue,
} from "@orch/client";
import { isCode } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";
import { joiningToken } from "./joining-token";
import { signerOf, withSignatures } from "./map-signatures";
import { CLUSTER_INFO, CLUSTER_INFO_KEY } from "./publish-cluster-info";

export interface BootstrapSigningOptions {
  readonly client: Client;
  readonly metrics?: (queue: string) => QueueMetrics;
}

/**
 * Amount of signed text after which the event loop gets a turn. Reading a token takes as long as signing READ_BYTES.
 */
const TURN_BYTES = 1_048_576;
const READ_BYTES = 8_192;

/** Runs the controller until the signal is aborted. */
export async function signClusterInfo(
  { client, metrics }: BootstrapSigningOptions,
  signal: AbortSignal,
): Promise<void> {
  const { namespaces, secretTypes } = vocabularyOf(client.vocabulary);
  const types = builtInTypes(client.vocabulary);
  const maps = client.resource(types.configMaps).namespace(namespaces.public);
  const factory = new InformerFactory(client);
  const map = factory.informer(types.configMaps, {
    namespace: namespaces.public,
    fieldSelector: `metadata.name=${CLUSTER_INFO}`,
  });
  const secrets = factory.informer(types.secrets, {
    namespace: namespaces.system,
    fieldSelector: `type=${secretTypes.bootstrapToken}`,
  });
  const queue = new WorkQueue({
    clock: client.clock,
    metrics: metrics?.("bootstrap_signer_queue"),
  });
  // There is one map to sign: every event causes a reconciliation of the whole map.
  const look = () => queue.add(CLUSTER_INFO);
  for (const informer of [map, secrets]) informer.addHandler({ added: look, updated: look, deleted: look });
  factory.start(signal);
  await factory.synced(signal).catch(() => {});

  async function reconcile(): Promise<RequeueAfter | undefined> {
    const found = map.store.get(`${namespaces.public}/${CLUSTER_INFO}`);
    const text = found?.data?.[CLUSTER_INFO_KEY];
    if (found?.data === undefined || text === undefined) return undefined;
    const sign = signerOf(text, client.vocabulary);
    const signatures = new Map<string, string>();
    let untilMs = Infinity;
    let done = 0;
    for (const secret of secrets.store.values()) {
      const token = joiningToken(secret, client.clock.now());
      if (token !== undefined) signatures.set(token.id, sign(token));
      untilMs = Math.min(untilMs, token?.expiresAtMs ?? Infinity);
      done += READ_BYTES + (token === undefined ? 0 : text.length);
      if (done < TURN_BYTES) continue;
      done = 0;
      await nextTurn();
    }
    const data = withSignatures(found.data, signatures);
    try {
      if (data !== undefined) await maps.update({ ...found, data });
    } catch (error) {
      if (!isCode(error, 409, 404)) throw error; // the watch reports the change
    }
    return untilMs === Infinity ? undefined : { againAfterMs: untilMs - client.clock.now() };
  }
  await runWorkers({ queue, workers: 1, signal, log: client.log, reconcile });
  await factory.stopped();
}
