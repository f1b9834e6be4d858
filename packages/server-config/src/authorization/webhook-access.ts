// Client of an authorization webhook, made from its configuration file and replaced when the file changes.

import { WebhookAuthorizer, type WebhookObserver, type WebhookResult, WebhookTimeout } from "@orch/auth";
import type { Client } from "@orch/client";
import { StatusError } from "@orch/machinery";
import { type EgressSelector, type Log, type NamedMetrics, systemClock } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import { type ReloadParts, reloadWhenChanged } from "../option-files/reloaded-file";
import type { WebhookPlan } from "../settings/authorization-plan";
import { matchConditions } from "./match-conditions";

export type WebhookAccessMetrics = NamedMetrics<
  | "apiserver_authorization_webhook_evaluations_total"
  | "apiserver_authorization_webhook_evaluations_fail_open_total"
  | "apiserver_authorization_match_condition_exclusions_total"
  | "apiserver_authorization_match_condition_evaluation_errors_total",
  never,
  "apiserver_authorization_webhook_duration_seconds" | "apiserver_authorization_match_condition_evaluation_seconds"
>;

export interface WebhookAccessParts extends ReloadParts {
  readonly vocabulary: Vocabulary;
  readonly logger: Log;
  /** Absent: connections are direct. */
  readonly egress?: EgressSelector;
  readonly metrics: WebhookAccessMetrics & ReloadParts["metrics"];
}

export interface OpenWebhook {
  readonly authorizer: WebhookAuthorizer;
  close(): void;
}

/** Maximum size of an answer, which repeats the question with the user's groups. */
const ANSWER_MAX_BYTES = 512 * 1024;
/** A replaced client may still have requests in progress. */
const FORMER_CLIENT_MS = 60_000;
/**
 * Status codes after which the question is repeated. Source: staging/src/k8s.io/apiserver/pkg/util/webhook/webhook.go,
 * DefaultShouldRetry.
 */
const PASSING_CODES: ReadonlySet<number> = new Set([429, 500, 504]);

/** @throws ConfigurationError for an invalid file */
export async function openWebhook(plan: WebhookPlan, parts: WebhookAccessParts): Promise<OpenWebhook> {
  const { vocabulary, logger } = parts;
  const {
    Client: MadeClient,
    ConnectionError,
    inClusterConnection,
    loadConnection,
    TimeoutError,
  } = require("@orch/client") as typeof import("@orch/client");
  const { configurationFile, options, name } = plan;
  const connection = () => {
    if (configurationFile !== undefined)
      return loadConnection({ path: configurationFile.file, vocabulary: vocabulary.name });
    const inside = inClusterConnection({ vocabulary: vocabulary.name });
    if (inside === undefined) throw new Error("InClusterConfig requires that the server runs inside a cluster");
    return inside;
  };
  const open = (): Client =>
    new MadeClient({
      connection: connection(),
      vocabulary: vocabulary.name,
      program: vocabulary.programs.apiserver,
      component: "authorization",
      rateLimit: { perSecond: 0, burst: 0 },
      log: logger,
      dialer: parts.egress?.dialer("controlplane"),
      onWarning: () => {},
    });
  let client = open();
  const stop =
    configurationFile === undefined
      ? () => {}
      : reloadWhenChanged(parts, configurationFile, () => {
          const former = client;
          client = open();
          setTimeout(() => former.close(), FORMER_CLIENT_MS).unref();
        });
  const authorizer = new WebhookAuthorizer(options, {
    vocabulary,
    clock: systemClock,
    chance: Math.random,
    async ask(review) {
      try {
        const { timeoutMs } = options;
        return await client.postJson(Buffer.from(review), { timeoutMs, answerMaxBytes: ANSWER_MAX_BYTES });
      } catch (error) {
        if (error instanceof TimeoutError) throw new WebhookTimeout(error.message, { cause: error });
        throw error;
      }
    },
    isTransient: (error) =>
      error instanceof StatusError
        ? PASSING_CODES.has(error.code)
        : error instanceof ConnectionError && error.code === "ECONNRESET",
    conditions: matchConditions(plan.conditions, conditionMetrics(name, parts)),
    observer: webhookMetrics(name, parts),
  });
  return {
    authorizer,
    close() {
      stop();
      setTimeout(() => client.close(), FORMER_CLIENT_MS).unref();
    },
  };
}

function webhookMetrics(name: string, { metrics }: WebhookAccessParts): WebhookObserver {
  const calls = metrics.counter("apiserver_authorization_webhook_evaluations_total");
  const seconds = metrics.histogram("apiserver_authorization_webhook_duration_seconds");
  const open = metrics.counter("apiserver_authorization_webhook_evaluations_fail_open_total");
  return {
    called(result: WebhookResult, took: number) {
      calls.inc({ name, result });
      seconds.labels({ name, result }).observe(took);
    },
    failedOpen: (result: WebhookResult) => open.inc({ name, result }),
  };
}

function conditionMetrics(name: string, { metrics }: WebhookAccessParts) {
  const of = { type: "Webhook", name };
  const seconds = metrics.histogram("apiserver_authorization_match_condition_evaluation_seconds").labels(of);
  return {
    evaluated: (took: number) => seconds.observe(took),
    excluded: () => metrics.counter("apiserver_authorization_match_condition_exclusions_total").inc(of),
    failed: () => metrics.counter("apiserver_authorization_match_condition_evaluation_errors_total").inc(of),
  };
}
