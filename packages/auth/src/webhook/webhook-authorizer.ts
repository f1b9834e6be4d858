// Webhook authorizer. Every decision takes a bounded time regardless of the webhook, the cached and the waiting
// requests are limited, and concurrent requests with equal attributes share one call. Source: Kubernetes documentation,
// "Webhook Mode".

import { type Clock, pause, pauseMsAfter } from "@orch/platform";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { type Attributes, type Authorizer, type Decision, NO_OPINION } from "../authorization/authorizer";
import { unlistable } from "../authorization/rule-list";
import { decisionIn, questionOf, ReviewAnswerError, type ReviewVersion, reviewText } from "./access-question";
import { cacheKey, DecisionCache } from "./decision-cache";

export interface WebhookOptions {
  readonly version: ReviewVersion;
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
  /** Decision when a call fails: no opinion with the error, or a refusal. */
  readonly failurePolicy: "NoOpinion" | "Deny";
  /** Timeout of one try, enforced by `ask`. No try starts after this time. */
  readonly timeoutMs: number;
}

export interface WebhookDeps {
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly chance: () => number;
  /**
   * Makes one try.
   * @returns the body of the response
   * @throws any error of the request
   */
  ask(review: string): Promise<string>;
  /** Returns whether a failed try is repeated. */
  isTransient(error: unknown): boolean;
  readonly conditions?: MatchConditions | undefined;
  readonly observer?: WebhookObserver | undefined;
}

/** Decides whether a webhook is called for a request. */
export type MatchConditions = (question: JsonObject) => "asked" | "notAsked" | { readonly error: string };

export type WebhookResult = "success" | "error" | "timeout" | "canceled";

export interface WebhookObserver {
  /** Reports a call with all its tries. */
  called(result: WebhookResult, seconds: number): void;
  /** Reports a failure that resulted in no opinion. */
  failedOpen(result: WebhookResult): void;
}

/** Maximum number of tries, as in staging/src/k8s.io/apiserver/pkg/util/webhook/webhook.go. */
const TRIES = 5;
const PAUSES = { firstMs: 500, factor: 1.5, maxMs: 5000 };
const JITTER = 0.2;
/**
 * Maximum number of concurrent calls, in total and per user, so that a webhook that hangs does not accumulate waiting
 * requests.
 */
const WAITING_MAX = 2048;
const WAITING_OF_ONE_MAX = 256;
/**
 * Decisions on attributes with this total length or more are not cached, as in
 * staging/src/k8s.io/apiserver/plugin/pkg/authorizer/webhook/webhook.go.
 */
const KEPT_TEXTS_MAX = 10_000;

/** Maximum number of characters of an error. It may repeat a webhook's response, and is logged and shown to users. */
const ERROR_MAX = 1024;

const LISTS_NOTHING = unlistable("webhook authorizer does not support user rule resolution");

/** A call that took too long. */
export class WebhookTimeout extends Error {
  override readonly name = "WebhookTimeout";
}

export class WebhookAuthorizer implements Authorizer {
  private readonly cache: DecisionCache;
  private readonly waiting = new Map<string, Promise<Decision>>();
  private readonly waitingOf = new Map<string, number>();

  constructor(
    private readonly options: WebhookOptions,
    private readonly deps: WebhookDeps,
  ) {
    this.cache = new DecisionCache(deps.clock);
  }

  authorize(attributes: Attributes): Decision | Promise<Decision> {
    const question = questionOf(attributes);
    const match = this.deps.conditions?.(question) ?? "asked";
    if (match === "notAsked") return NO_OPINION;
    if (match !== "asked") return this.failed(match.error);
    const text = JSON.stringify(question);
    const key = cacheKey(text);
    const known = this.cache.get(key) ?? this.waiting.get(key);
    if (known !== undefined) return known;
    const user = attributes.user.name;
    const ofOne = this.waitingOf.get(user) ?? 0;
    if (this.waiting.size >= WAITING_MAX || ofOne >= WAITING_OF_ONE_MAX)
      return this.failed("too many calls of the authorization webhook are queued");
    this.waitingOf.set(user, ofOne + 1);
    const decided = this.decide(question).then((decision) => {
      if (decision.error === undefined && text.length < 2 * KEPT_TEXTS_MAX && isKept(attributes))
        this.keep(key, decision);
      return decision;
    });
    const shared = decided.finally(() => {
      this.waiting.delete(key);
      const left = (this.waitingOf.get(user) ?? 1) - 1;
      if (left === 0) this.waitingOf.delete(user);
      else this.waitingOf.set(user, left);
    });
    this.waiting.set(key, shared);
    return shared;
  }

  rulesFor() {
    return LISTS_NOTHING;
  }

  private keep(key: string, decision: Decision): void {
    const { authorizedTtlMs, unauthorizedTtlMs } = this.options;
    this.cache.set(key, decision, decision.kind === "allow" ? authorizedTtlMs : unauthorizedTtlMs);
  }

  /** Calls the webhook. Never rejects. */
  private async decide(question: JsonObject): Promise<Decision> {
    const { clock, vocabulary, observer } = this.deps;
    const { version } = this.options;
    const since = clock.elapsed();
    const called = (result: WebhookResult) => observer?.called(result, (clock.elapsed() - since) / 1000);
    try {
      const answer = await this.answer(reviewText(question, version, vocabulary));
      const decision = decisionIn(answer, version, vocabulary);
      called("success");
      return decision;
    } catch (error) {
      const result = error instanceof WebhookTimeout ? "timeout" : "error";
      called(result);
      const { message } = error as Error;
      return this.failed(
        error instanceof ReviewAnswerError ? `the authorization webhook's answer is invalid: ${message}` : message,
        result,
      );
    }
  }

  private async answer(review: string): Promise<string> {
    const { clock, chance, ask, isTransient } = this.deps;
    const lastTryMs = clock.elapsed() + this.options.timeoutMs;
    for (let tries = 1; ; tries += 1) {
      try {
        return await ask(review);
      } catch (error) {
        if (tries >= TRIES || clock.elapsed() >= lastTryMs || !isTransient(error)) throw error;
        await pause(clock, pauseMsAfter(PAUSES, tries - 1) * (1 + JITTER * chance()));
      }
    }
  }

  private failed(text: string, result: WebhookResult = "error"): Decision {
    const error = text.slice(0, ERROR_MAX);
    if (this.options.failurePolicy === "Deny") return { kind: "deny", reason: "", error };
    this.deps.observer?.failedOpen(result);
    return { kind: "noOpinion", reason: "", error };
  }
}

function isKept(attributes: Attributes): boolean {
  if (attributes.kind === "nonResource") return attributes.path.length + attributes.verb.length < KEPT_TEXTS_MAX;
  const { namespace, verb, apiGroup, apiVersion, resource, subresource, name } = attributes;
  const texts = [namespace, verb, apiGroup, apiVersion, resource, subresource, name];
  return texts.reduce((sum, { length }) => sum + length, 0) < KEPT_TEXTS_MAX;
}
