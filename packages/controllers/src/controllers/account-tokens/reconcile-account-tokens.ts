// Controller for service account token Secrets: watches service accounts and their Secrets, and reconciles each change.
// Source: pkg/controller/serviceaccount/tokens_controller.go.
import type { SigningKey } from "@orch/auth";
import { type Client, InformerFactory, type QueueMetrics, runWorkers, WorkQueue } from "@orch/client";
import { compareReleases } from "@orch/schema";
import type { FollowedFile } from "../../framework/followed-file";
import { refusedTooOften } from "../../framework/write-errors";
import { AccountSecrets } from "./account-secrets";
import { TokenReconciler } from "./token-reconciler";

export interface AccountTokensOptions {
  readonly client: Client;
  /** Release that the server emulates: `1.23`. */
  readonly release: string;
  readonly metrics?: (queue: string) => QueueMetrics;
  readonly workers: number;
  readonly key: FollowedFile<SigningKey>;
  /** PEM. */
  readonly authority: FollowedFile<string | undefined>;
}

/** First release that creates no Secret for an account. Secrets that users create are still filled. */
const MADE_UNTIL = "1.24";
const RETRIES = { firstMs: 5, maxMs: 60_000, perSecond: 50, burst: 500 };
const RETRIES_MAX = 10;
const RESYNC_MS = 5 * 60_000;

/** Runs the controller until the signal is aborted. */
export async function reconcileAccountTokens(
  { client, release, metrics, workers, key, authority }: AccountTokensOptions,
  signal: AbortSignal,
): Promise<void> {
  const factory = new InformerFactory(client, { resyncMs: RESYNC_MS });
  const known = new AccountSecrets(client, factory);
  const makesSecrets = compareReleases(release, MADE_UNTIL) < 0;
  const keeper = new TokenReconciler({ client, known, key, authority, makesSecrets });
  const queueOf = (name: string) => new WorkQueue({ retries: RETRIES, metrics: metrics?.(name) });
  const accounts = queueOf("serviceaccount_tokens_service");
  const secrets = queueOf("serviceaccount_tokens_secret");
  known.follow({
    accountChanged: (work) => accounts.add(work),
    secretChanged: (work) => secrets.add(work),
  });
  factory.start(signal);
  await factory.synced(signal).catch(() => {});
  key.follow(() => {}, signal); // existing tokens stay as they are
  authority.follow(() => {
    for (const work of known.everySecret()) secrets.add(work);
  }, signal);
  const how = { workers, signal, log: client.log, givesUp: refusedTooOften(RETRIES_MAX) };
  await Promise.all([
    runWorkers({ ...how, queue: accounts, reconcile: (work) => keeper.seeToAccount(work) }),
    runWorkers({ ...how, queue: secrets, reconcile: (work) => keeper.seeToSecret(work) }),
  ]);
  await factory.stopped();
}
