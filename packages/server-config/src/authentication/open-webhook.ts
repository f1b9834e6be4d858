// Client of the token webhook, made from its configuration file and replaced when the file changes.

import { WebhookTokens } from "@orch/auth";
import type { Client } from "@orch/client";
import { StatusError } from "@orch/machinery";
import { type EgressSelector, type Log, type NamedMetrics, systemClock } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import type { ServerConfig } from "../flags/server-flags";
import { type ReloadParts, reloadWhenChanged } from "../option-files/reloaded-file";
import { webhookVersion } from "../settings/token-webhook-options";

export type WebhookMetrics = NamedMetrics<
  "apiserver_delegated_authn_request_total",
  never,
  "apiserver_delegated_authn_request_duration_seconds"
>;

export interface WebhookParts extends ReloadParts {
  readonly config: ServerConfig;
  readonly vocabulary: Vocabulary;
  readonly logger: Log;
  /** Absent: connections are direct. */
  readonly egress?: EgressSelector;
  readonly metrics: WebhookMetrics & ReloadParts["metrics"];
}

export interface OpenTokenWebhook {
  /** @param audiences audiences of this server */
  tokens(audiences: readonly string[]): WebhookTokens;
  close(): void;
}

const OPTION = "authentication-token-webhook-config-file";
/** Maximum size of an answer: groups and extra fields of one user. */
const ANSWER_MAX_BYTES = 512 * 1024;
/** A replaced client may still have requests in progress. */
const FORMER_CLIENT_MS = 60_000;
/** Status codes after which the question is repeated. */
const PASSING_CODES: ReadonlySet<number> = new Set([429, 500, 504]);
/** The log gets one line in this interval for all failures. */
const TELL_EVERY_MS = 10_000;

/** @returns undefined when the options name no webhook @throws Error for an invalid file */
export async function openWebhook(parts: WebhookParts): Promise<OpenTokenWebhook | undefined> {
  const { config, vocabulary, logger, metrics } = parts;
  const file = config[OPTION];
  if (file === "") return undefined;
  const chosen = webhookVersion(config, vocabulary);
  if (typeof chosen === "string") throw new Error(chosen);
  const {
    Client: MadeClient,
    ConnectionError,
    loadConnection,
  } = require("@orch/client") as typeof import("@orch/client");
  const open = (): Client =>
    new MadeClient({
      connection: loadConnection({ path: file, vocabulary: vocabulary.name }),
      vocabulary: vocabulary.name,
      program: vocabulary.programs.apiserver,
      component: "authentication",
      rateLimit: { perSecond: 0, burst: 0 },
      log: logger,
      dialer: parts.egress?.dialer("controlplane"),
      onWarning: () => {},
    });
  let client = open();
  const stop = reloadWhenChanged(parts, { option: OPTION, file }, () => {
    const former = client;
    client = open();
    setTimeout(() => former.close(), FORMER_CLIENT_MS).unref();
  });
  const requests = metrics.counter("apiserver_delegated_authn_request_total");
  const seconds = metrics.histogram("apiserver_delegated_authn_request_duration_seconds");
  let toldMs = Number.NEGATIVE_INFINITY;
  const deps: ConstructorParameters<typeof WebhookTokens>[1] = {
    vocabulary,
    clock: systemClock,
    chance: Math.random,
    ask: (review, timeoutMs) => client.postJson(Buffer.from(review), { timeoutMs, answerMaxBytes: ANSWER_MAX_BYTES }),
    isTransient: (error) =>
      error instanceof StatusError
        ? PASSING_CODES.has(error.code)
        : error instanceof ConnectionError && error.code === "ECONNRESET",
    codeOf: (error) => (error instanceof StatusError ? String(error.code) : "<error>"),
    inForce() {
      const asked = client;
      return () => client === asked;
    },
    observer: {
      asked(code, tookMs) {
        requests.inc({ code });
        seconds.labels({ code }).observe(tookMs / 1000);
      },
      failed(error) {
        if (performance.now() - toldMs < TELL_EVERY_MS) return;
        toldMs = performance.now();
        // The message leaves out the answer, which may repeat the token.
        const why = error instanceof StatusError ? `HTTP status ${error.code}` : error.message;
        logger.warn("the call of the token webhook failed", { error: why });
      },
    },
  };
  const rememberedMs = config["authentication-token-webhook-cache-ttl"];
  return {
    tokens: (audiences) => new WebhookTokens({ version: chosen.version, rememberedMs, audiences }, deps),
    close() {
      stop();
      client.close();
    },
  };
}
