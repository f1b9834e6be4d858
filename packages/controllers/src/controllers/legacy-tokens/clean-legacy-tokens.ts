// Legacy service account token cleaner: looks once a day for automatically created token Secrets that are not used,
// marks them as invalid, and deletes them when they have been marked for the whole period. Decisions use the objects as
// read at that time. Source: Kubernetes documentation, "Managing Service Accounts", "Legacy ServiceAccount token
// cleaner".
import { builtInTypes, type Client, type QueueMetrics, runWorkers, WorkQueue } from "@orch/client";
import { namespaceOf } from "@orch/machinery";
import { pauseUnlessAborted } from "@orch/platform";
import { compareReleases, type JsonObject, type Vocabulary, vocabularyOf } from "@orch/schema";
import { refusedTooOften } from "../../framework/write-errors";
import { isFollowedLongEnough, type TokenTimes, tokenAction } from "./token-action";
import { UnusedTokens } from "./unused-tokens";

export interface LegacyTokensOptions {
  readonly client: Client;
  /** Release that the server emulates: `1.23`. */
  readonly release: string;
  readonly metrics?: (queue: string) => QueueMetrics;
  readonly periodMs: number;
  /** Current time, ms since 1970. Default: the machine's clock. */
  readonly nowMs?: () => number;
}

/** First release that tracks the use of tokens. */
const SINCE = "1.26";
const EVERY_MS = 24 * 60 * 60_000;
/** Pause after a failed pass. */
const RETRY_MS = 5 * 60_000;
const RETRIES_MAX = 10;

/** Runs the controller until the signal is aborted. */
export async function cleanLegacyTokens(options: LegacyTokensOptions, signal: AbortSignal): Promise<void> {
  const { client, release, metrics, periodMs, nowMs = Date.now } = options;
  const { log, clock } = client;
  if (compareReleases(release, SINCE) < 0) {
    log.warn("no token is removed: the server's release does not track their use", { release });
    return;
  }
  const vocabulary = vocabularyOf(client.vocabulary);
  const times = (): TokenTimes => ({ nowMs: nowMs(), periodMs });
  const unused = new UnusedTokens(client, vocabulary, times);
  // The items of the queue are namespaces.
  const queue = new WorkQueue({ metrics: metrics?.("legacy_service_account_token_cleaner") });
  async function lookForever(): Promise<void> {
    while (!signal.aborted) {
      let pauseMs = EVERY_MS;
      try {
        if (await isFollowed(client, vocabulary, times(), signal)) {
          for await (const namespace of suspects(client, vocabulary, times, signal)) queue.add(namespace);
        }
      } catch (error) {
        if (signal.aborted) return;
        log.warn("cannot check for unused tokens", { error: String(error) });
        pauseMs = RETRY_MS;
      }
      await pauseUnlessAborted(clock, pauseMs, signal);
    }
  }
  const reconcile = (namespace: string) => unused.endIn(namespace, signal);
  const givesUp = refusedTooOften(RETRIES_MAX);
  await Promise.all([lookForever(), runWorkers({ queue, workers: 1, signal, log, givesUp, reconcile })]);
}

/**
 * Returns whether the server has tracked the use of tokens for so long that a token without a day of use was not used.
 */
async function isFollowed(
  client: Client,
  { namespaces, objectNames }: Vocabulary,
  times: TokenTimes,
  signal: AbortSignal,
): Promise<boolean> {
  const maps = client.resource(builtInTypes(client.vocabulary).configMaps).namespace(namespaces.system);
  const map = await maps.find(objectNames.apiserverLegacyServiceAccountTokenTracking, { signal });
  if (map === undefined) client.log.info("no token is removed: the server does not track their use");
  return isFollowedLongEnough(map?.data?.["since"], times);
}

/** Yields namespaces with tokens that have been unused for the period, each at least once. */
async function* suspects(
  client: Client,
  vocabulary: Vocabulary,
  times: () => TokenTimes,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const secrets = client.resource(builtInTypes(client.vocabulary).secrets);
  const fieldSelector = `type=${vocabulary.secretTypes.serviceAccountToken}`;
  for await (const secret of secrets.all({ fieldSelector, signal })) {
    const object = secret as JsonObject;
    if (tokenAction(object, times(), vocabulary) !== "keep") yield namespaceOf(object);
  }
}
