// Token cache, so that a token which comes with every request is verified once.
// Source: staging/src/k8s.io/apiserver/pkg/authentication/token/cache/cached_token_authenticator.go.

import { hash, randomBytes } from "node:crypto";
import type { UserInfo } from "@orch/machinery";
import { CLOCK_STEP_MS, type Clock, NEVER_ENDS } from "@orch/platform";
import {
  type AuthenticationOutcome,
  asAuthenticated,
  type TokenAuthenticator,
  type TokenCacheLifetime,
  type TokenQuestion,
} from "../authentication/authenticator";
import { type Bounds, RecentEntries } from "./recent-entries";

export interface RememberedTokensOptions {
  readonly clock: Pick<Clock, "now" | "elapsed">;
  /** Lifetime of a success whose method states none. Default: 10 s. */
  readonly successMs?: number;
  /** Lifetime of a refusal whose method states no `forMs`. Default: 2 s. */
  readonly refusalMs?: number;
  /** Limits for successes, and separately for refusals: invalid tokens do not displace valid ones. */
  readonly bounds?: Bounds;
  readonly observer?: TokenCacheObserver;
}

/** Observer for the metrics `authentication_token_cache_*`. */
export interface TokenCacheObserver {
  /** @param status miss: a method was called, or the request waited for a call that was already running */
  asked(status: "hit" | "miss", tookMs: number): void;
  fetched(status: "ok" | "error"): void;
  /** @param by 1 when it begins, -1 when it ends */
  fetching(status: "in_flight" | "blocked", by: 1 | -1): void;
}

const SUCCESS_MS = 10_000;
const REFUSAL_MS = 2_000;
const BOUNDS: Bounds = { entriesMax: 16_384, bytesMax: 16 * 2 ** 20 };

type Settled = Exclude<AuthenticationOutcome, { readonly kind: "notApplicable" }>;

interface Remembered {
  readonly outcome: Settled;
  /** End of the credential's validity, ms since 1970. */
  readonly untilMs: number;
  /** End of the finding's lifetime, on the clock's elapsed time. */
  readonly keptUntilMs: number;
  /** Difference between the time of day and the elapsed time when the finding was made. */
  readonly offsetMs: number;
  readonly holds: TokenCacheLifetime["holds"];
}

/**
 * Calls `method` for tokens that are not cached, once for all concurrent requests with the same token, and returns the
 * same user object every time. A token that does not belong to the method is not cached: nothing was verified.
 *
 * Tokens are identified by a keyed digest: neither tokens nor anything comparable with a list of digests stays in
 * memory.
 */
export class RememberedTokens implements TokenAuthenticator {
  private readonly key = randomBytes(32).toString("base64");
  private readonly successes: RecentEntries<Remembered>;
  private readonly refusals: RecentEntries<Remembered>;
  private readonly underWay = new Map<string, Promise<AuthenticationOutcome>>();

  constructor(
    private readonly method: TokenAuthenticator,
    private readonly options: RememberedTokensOptions,
  ) {
    this.successes = new RecentEntries(options.bounds ?? BOUNDS);
    this.refusals = new RecentEntries(options.bounds ?? BOUNDS);
  }

  authenticateToken(
    token: string,
    { audiences, connection }: TokenQuestion,
  ): AuthenticationOutcome | Promise<AuthenticationOutcome> {
    const { observer } = this.options;
    const startedMs = performance.now();
    const digest = this.digest(token, audiences);
    const known = this.recall(digest);
    if (known !== undefined) {
      observer?.asked("hit", performance.now() - startedMs);
      return known;
    }
    const outcome = this.underWay.get(digest);
    return outcome === undefined
      ? this.ask(digest, {
          token,
          startedMs,
          question: { audiences, signal: NEVER_ENDS, ...(connection && { connection }) },
        })
      : this.join(outcome, startedMs);
  }

  private ask(
    digest: string,
    { token, question, startedMs }: { token: string; question: TokenQuestion; startedMs: number },
  ): AuthenticationOutcome | Promise<AuthenticationOutcome> {
    const { observer } = this.options;
    const settle = (outcome: AuthenticationOutcome): AuthenticationOutcome => {
      observer?.fetched(outcome.kind === "failed" ? "error" : "ok");
      observer?.asked("miss", performance.now() - startedMs);
      return this.remember(digest, outcome);
    };
    // The call continues when its first request ends: other requests may have joined.
    const outcome = this.method.authenticateToken(token, question);
    if (!(outcome instanceof Promise)) return settle(outcome);
    observer?.fetching("in_flight", 1);
    const settled = outcome.then(settle).finally(() => {
      this.underWay.delete(digest);
      observer?.fetching("in_flight", -1);
    });
    this.underWay.set(digest, settled);
    return settled;
  }

  private async join(outcome: Promise<AuthenticationOutcome>, startedMs: number): Promise<AuthenticationOutcome> {
    const { observer } = this.options;
    observer?.fetching("blocked", 1);
    try {
      return await outcome;
    } finally {
      observer?.fetching("blocked", -1);
      observer?.asked("miss", performance.now() - startedMs);
    }
  }

  private recall(digest: string): AuthenticationOutcome | undefined {
    const found = this.successes.get(digest) ?? this.refusals.get(digest);
    if (found === undefined) return undefined;
    if (this.isCurrent(found) && (found.holds?.() ?? true)) return found.outcome;
    (found.outcome.kind === "authenticated" ? this.successes : this.refusals).delete(digest);
    return undefined;
  }

  private remember(digest: string, found: AuthenticationOutcome): AuthenticationOutcome {
    if (found.kind === "notApplicable") return found;
    const outcome = found.kind === "authenticated" ? { ...found, user: asAuthenticated(found.user) } : found;
    const { clock } = this.options;
    const [nowMs, elapsedMs] = [clock.now(), clock.elapsed()];
    const { untilMs = Infinity, holds } = outcome.standing ?? {};
    const keptUntilMs = elapsedMs + this.keptForMs(outcome);
    if (untilMs <= nowMs || keptUntilMs <= elapsedMs) return outcome;
    const entries = outcome.kind === "authenticated" ? this.successes : this.refusals;
    entries.set(digest, { outcome, untilMs, keptUntilMs, offsetMs: nowMs - elapsedMs, holds }, bytesOf(outcome));
    return outcome;
  }

  private keptForMs({ kind, standing }: Settled): number {
    const { successMs = SUCCESS_MS, refusalMs = REFUSAL_MS } = this.options;
    if (standing?.forMs !== undefined) return standing.forMs;
    if (kind === "authenticated") return standing === undefined ? successMs : Infinity;
    return standing?.untilMs === undefined ? refusalMs : Infinity;
  }

  /**
   * Returns whether a finding is current. A step of the machine's date invalidates it: the token was checked against a
   * wrong time.
   */
  private isCurrent({ untilMs, keptUntilMs, offsetMs }: Remembered): boolean {
    const { clock } = this.options;
    const [nowMs, elapsedMs] = [clock.now(), clock.elapsed()];
    return nowMs < untilMs && elapsedMs < keptUntilMs && Math.abs(nowMs - elapsedMs - offsetMs) < CLOCK_STEP_MS;
  }

  /** Returns the cache key of a token. The audiences are encoded so that no two lists give the same text. */
  private digest(token: string, audiences: readonly string[]): string {
    const of = audiences.length === 0 ? token : `${token} ${JSON.stringify(audiences)}`;
    return hash("sha256", this.key + of, "base64");
  }
}

const ENTRY_BYTES = 400;

/** Returns the approximate memory size of an outcome. */
function bytesOf(outcome: Settled): number {
  if (outcome.kind === "failed") return ENTRY_BYTES + 2 * (outcome.reason.length + (outcome.told?.length ?? 0));
  const { user, audiences = [] } = outcome;
  return ENTRY_BYTES + 2 * (lengthOf(user) + total(audiences));
}

function lengthOf({ name, uid = "", groups, extra = {} }: UserInfo): number {
  const extras = Object.entries(extra).reduce((sum, [key, values]) => sum + key.length + total(values), 0);
  return name.length + uid.length + total(groups) + extras;
}

/** Returns the approximate size of texts. An empty element takes memory too. */
function total(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length + 8, 0);
}
