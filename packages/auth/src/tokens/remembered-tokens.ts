// What was found of tokens, remembered, so that one which comes with every request is verified once.
// Source: facts, flags.json "authenticatorOrder".

import { hash, randomBytes } from "node:crypto";
import type { UserInfo } from "@orch/machinery";
import { CLOCK_STEP_MS, type Clock, NEVER_ENDS } from "@orch/platform";
import { type AuthenticationOutcome, asAuthenticated, type Standing } from "../authenticator";
import { type Bounds, RecentEntries } from "./recent-entries";
import type { TokenAuthenticator, TokenQuestion } from "./token-method";

export interface RememberedTokensOptions {
  readonly clock: Pick<Clock, "now" | "elapsed">;
  /** Of a success whose method says nothing of how long it stands. Default: 10 s. */
  readonly successMs?: number;
  /** Of a refusal whose method says nothing, and at most of any other unless `keepsRefusals` says otherwise. Default: 2 s. */
  readonly refusalMs?: number;
  /** Of successes, and again of refusals: whoever sends bad tokens displaces no good ones. */
  readonly bounds?: Bounds;
  readonly observer?: TokenCacheObserver;
}

/** What is seen of it from outside. Source: facts, metrics.json "authentication_token_cache_*". */
export interface TokenCacheObserver {
  /** @param status miss: a method was asked, or an answer waited for that it was asked for already */
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
  /** How long the credential is valid, ms since 1970. */
  readonly untilMs: number;
  /** How long the finding is kept, on the clock's elapsed time. */
  readonly keptUntilMs: number;
  /** Difference between the time of day and the elapsed time when it was found. */
  readonly offsetMs: number;
  readonly holds: Standing["holds"];
}

/**
 * Asks `method` for tokens that it does not know, once for all who bring the same one at the same time, and hands out the same user
 * object every time. A token that is none of the method's is not remembered: nothing was verified.
 *
 * Tokens are known by a keyed digest: neither they nor anything that could be compared with a list of digests stays in memory.
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
    // Nobody's leaving ends it: others may have joined.
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

  /** A step of the machine's date makes a finding void: the token was compared with a time that was wrong. */
  private isCurrent({ untilMs, keptUntilMs, offsetMs }: Remembered): boolean {
    const { clock } = this.options;
    const [nowMs, elapsedMs] = [clock.now(), clock.elapsed()];
    return nowMs < untilMs && elapsedMs < keptUntilMs && Math.abs(nowMs - elapsedMs - offsetMs) < CLOCK_STEP_MS;
  }

  /** Audiences are joined so that no two lists look alike. */
  private digest(token: string, audiences: readonly string[]): string {
    const of = audiences.length === 0 ? token : `${token} ${JSON.stringify(audiences)}`;
    return hash("sha256", this.key + of, "base64");
  }
}

const ENTRY_BYTES = 400;

/** About as many as it takes in memory. */
function bytesOf(outcome: Settled): number {
  if (outcome.kind === "failed") return ENTRY_BYTES + 2 * (outcome.reason.length + (outcome.told?.length ?? 0));
  const { user, audiences = [] } = outcome;
  return ENTRY_BYTES + 2 * (lengthOf(user) + total(audiences));
}

function lengthOf({ name, uid = "", groups, extra = {} }: UserInfo): number {
  const extras = Object.entries(extra).reduce((sum, [key, values]) => sum + key.length + total(values), 0);
  return name.length + uid.length + total(groups) + extras;
}

/** An element costs something even where it is empty. */
function total(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length + 8, 0);
}
