// Tokens verified by a webhook. It receives a TokenReview, and its answer is validated before it is used.
// Source: Kubernetes documentation, "Authenticating", "Webhook Token Authentication".
import type { UserInfo } from "@orch/machinery";
import { type Clock, pause, pauseMsAfter, type RandomSource } from "@orch/platform";
import { isObject, type JsonObject, memberOf, type Vocabulary } from "@orch/schema";
import {
  type AuthenticationOutcome,
  failed,
  NOT_REMEMBERED,
  type TokenAuthenticator,
  type TokenCacheLifetime,
  type TokenQuestion,
} from "../authentication/authenticator";
import { RememberedTokens } from "./remembered-tokens";
import { TokenRequestLimits } from "./token-request-limits";

export interface WebhookTokensOptions {
  readonly version: "v1" | "v1beta1";
  /** Lifetime of accepted and refused tokens in the cache. */
  readonly rememberedMs: number;
  /** Audiences of the server: a token is valid for them when the webhook names no audiences. */
  readonly audiences: readonly string[];
}

export interface WebhookTokensDeps {
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly chance: RandomSource;
  /** Sends a review and returns the text of the response, with limits on time and size. */
  ask(review: string, timeoutMs: number): Promise<string>;
  /** Returns whether a retry may succeed. */
  isTransient(error: unknown): boolean;
  /** Returns a check that the webhook is still configured in the same way. */
  inForce(): () => boolean;
  readonly observer?: {
    /** @param code HTTP status code, or `<error>` */
    asked(code: string, tookMs: number): void;
    failed(error: Error): void;
  };
  codeOf(error: unknown): string;
}

const TRIES = 5;
const GROWTH = { firstMs: 500, factor: 1.5, maxMs: 30_000 };
const JITTER = 0.2;
/** Timeout for all tries together. */
const TIMEOUT_MS = 30_000;
const GROUPS_MAX = 10_000;
const EXTRA_MAX = 1_000;
const ERROR_MAX_CHARACTERS = 4_096;
/**
 * Minimum length of a token that is removed from errors. A shorter one may be a word of the message by chance, and can
 * be guessed anyway.
 */
const SECRET_MIN_CHARACTERS = 12;

/** Reason why a response is not accepted. */
class AnswerError extends Error {}

export class WebhookTokens implements TokenAuthenticator {
  /** Limits the requests that wait for a slow webhook. */
  private readonly places = new TokenRequestLimits();

  constructor(
    private readonly options: WebhookTokensOptions,
    private readonly deps: WebhookTokensDeps,
  ) {}

  authenticateToken(
    token: string,
    { audiences, connection }: TokenQuestion,
  ): AuthenticationOutcome | Promise<AuthenticationOutcome> {
    const giveBack = this.places.take(token, connection);
    if (giveBack === undefined)
      return { ...failed("webhook: too many calls are in progress", NOT_REMEMBERED), isOverload: true };
    return this.review(token, audiences).finally(giveBack);
  }

  private async review(token: string, audiences: readonly string[]): Promise<AuthenticationOutcome> {
    const { observer, vocabulary } = this.deps;
    const { version, rememberedMs } = this.options;
    const wanted = audiences.length > 0 ? audiences : this.options.audiences;
    const apiVersion = `${vocabulary.groups.authentication}/${version}`;
    const spec = { token, ...(wanted.length === 0 ? {} : { audiences: wanted }) };
    const question = JSON.stringify({
      kind: "TokenReview",
      apiVersion,
      metadata: { creationTimestamp: null },
      spec,
      status: { user: {} },
    });
    const holds = this.deps.inForce();
    try {
      const status = statusOf(await this.answer(question), apiVersion);
      const standing = { forMs: rememberedMs, holds };
      this.places.settled(token, memberOf(status, "authenticated") === true);
      return this.outcome(status, { token, wanted, asked: audiences, standing });
    } catch (error) {
      observer?.failed(error as Error);
      const why = error instanceof AnswerError ? error.message : "the call failed";
      return failed(`webhook: ${why}`, NOT_REMEMBERED);
    }
  }

  private async answer(question: string): Promise<string> {
    const { clock, chance, observer } = this.deps;
    const startedMs = clock.elapsed();
    for (let tries = 1; ; tries += 1) {
      const beganMs = clock.elapsed();
      try {
        const text = await this.deps.ask(question, TIMEOUT_MS - (beganMs - startedMs));
        observer?.asked("200", clock.elapsed() - beganMs);
        return text;
      } catch (error) {
        observer?.asked(this.deps.codeOf(error), clock.elapsed() - beganMs);
        const waitMs = pauseMsAfter(GROWTH, tries - 1) * (1 + JITTER * chance());
        const isLate = clock.elapsed() + waitMs - startedMs >= TIMEOUT_MS;
        if (tries >= TRIES || isLate || !this.deps.isTransient(error)) throw error;
        await pause(clock, waitMs);
      }
    }
  }

  /** @throws AnswerError */
  private outcome(
    status: JsonObject,
    {
      token,
      wanted,
      asked,
      standing,
    }: { token: string; wanted: readonly string[]; asked: readonly string[]; standing: TokenCacheLifetime },
  ): AuthenticationOutcome {
    if (memberOf(status, "authenticated") !== true) {
      const error = memberOf(status, "error");
      if (typeof error !== "string" || error === "") return refusedFor(standing);
      // The message may contain the token, and the reason goes to the log.
      const shown = token.length < SECRET_MIN_CHARACTERS ? error : error.replaceAll(token, "<token>");
      const told = shown.slice(0, ERROR_MAX_CHARACTERS);
      return { ...failed("webhook: returned an error"), told };
    }
    const named = textsOf(status, "audiences");
    const good = named.length > 0 ? wanted.filter((each) => named.includes(each)) : this.implied(wanted);
    if (wanted.length > 0 && good.length === 0) return refusedFor(standing);
    const user = userOf(status);
    return { kind: "authenticated", user, standing, ...(asked.length === 0 ? {} : { audiences: good }) };
  }

  /** Returns the audiences of a response without audiences, which is valid only for this server. */
  private implied(wanted: readonly string[]): readonly string[] {
    return wanted.filter((each) => this.options.audiences.includes(each));
  }
}

/**
 * Caches the findings of the webhook. A cached refusal is returned without its standing: other methods may still accept
 * the token, and its refusal by all methods must not outlast theirs.
 */
export function rememberedWebhook(webhook: WebhookTokens, clock: Clock): TokenAuthenticator {
  const remembered = new RememberedTokens(webhook, { clock });
  const apart = (outcome: AuthenticationOutcome): AuthenticationOutcome => {
    if (outcome.kind !== "failed" || outcome.standing?.untilMs === 0) return outcome;
    const { reason, told } = outcome;
    return { ...failed(reason), ...(told !== undefined && { told }) };
  };
  return {
    authenticateToken(token, question) {
      const outcome = remembered.authenticateToken(token, question);
      return outcome instanceof Promise ? outcome.then(apart) : apart(outcome);
    },
  };
}

const refusedFor = (standing: TokenCacheLifetime): AuthenticationOutcome => failed("webhook: unknown token", standing);

function statusOf(text: string, apiVersion: string): JsonObject {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new AnswerError("its answer is not JSON");
  }
  if (!isObject(answer as JsonObject)) throw new AnswerError("its answer is not an object");
  const { kind, apiVersion: answered, status } = answer as JsonObject;
  if (kind !== "TokenReview" || answered !== apiVersion)
    throw new AnswerError(`its answer is not a ${apiVersion} TokenReview`);
  if (!isObject(status as JsonObject)) throw new AnswerError("its answer has no status");
  return status as JsonObject;
}

function userOf(status: JsonObject): UserInfo {
  const user = memberOf(status, "user");
  if (user === undefined || !isObject(user)) throw new AnswerError("its answer contains no user");
  const { username, uid = "", extra = null } = user;
  if (typeof username !== "string" || username === "") throw new AnswerError("its answer contains no user");
  if (typeof uid !== "string") throw new AnswerError("status.user.uid is not a string");
  const groups = textsOf(user, "groups");
  if (groups.length > GROUPS_MAX) throw new AnswerError(`its answer contains more than ${GROUPS_MAX} groups`);
  return { name: username, ...(uid === "" ? {} : { uid }), groups, ...extraOf(extra) };
}

function extraOf(extra: unknown): Pick<UserInfo, "extra"> {
  if (extra === null) return {};
  if (!isObject(extra as JsonObject)) throw new AnswerError("status.user.extra is not an object");
  const keys = Object.keys(extra as JsonObject);
  if (keys.length > EXTRA_MAX) throw new AnswerError(`status.user.extra has more than ${EXTRA_MAX} keys`);
  return keys.length === 0
    ? {}
    : { extra: Object.fromEntries(keys.map((key) => [key, textsOf(extra as JsonObject, key)])) };
}

function textsOf(owner: JsonObject, name: string): readonly string[] {
  const list = memberOf(owner, name) ?? [];
  if (Array.isArray(list) && list.every((each) => typeof each === "string")) return list as readonly string[];
  throw new AnswerError(`${name} of its answer is not a list of strings`);
}
