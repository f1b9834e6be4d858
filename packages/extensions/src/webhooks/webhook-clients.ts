// Questions to webhooks and their answers, over TLS, bounded in time and in size, on connections that are kept for the next question.
// Redirects are not followed. Source: facts, admission/webhooks.md "Calling", "Client construction".
import type { Identity, NetworkAddress, PlainAnswer, PlainClient, PlainPost } from "@orch/client";
import { type Clock, type EndSignal, LongWaits, pause, systemClock, systemRoots } from "@orch/platform";
import { type DialGuard, literalRefusal } from "../services/dial-guard";
import type { ServiceResolver } from "../services/service-address";
import { CallBound } from "./call-bound";
import { failureWords, isConnectionError, statusWords } from "./failure-words";
import { WebhookError } from "./webhook-error";
import type { WebhookPlace } from "./webhook-place";

export interface WebhookClientsParts {
  /** Gives no places that the guard refuses, except for those that are meant to be asked. */
  readonly resolve: ServiceResolver;
  /** Decides where the hosts of URLs, and the names of services, may lead. */
  readonly guard: DialGuard;
  readonly userAgent: string;
  readonly clock?: Clock;
}

export interface WebhookQuestion {
  /** JSON. */
  readonly body: Uint8Array | string;
  /** With all tries. */
  readonly timeoutMs: number;
  readonly answerMaxBytes: number;
  /** Nobody waits any more. */
  readonly signal: EndSignal;
  /** What is shown; absent: nothing. The same object for the same user. */
  readonly identity?: Identity | undefined;
  /** Whether the webhook is told how long it has, as `timeout` of the query. */
  readonly tellsTimeout?: boolean;
}

/** Beyond so many, the one that was not used for the longest time is closed. */
const CLIENTS_MAX = 200;
const IDLE_MS = 90_000;
/** Of one webhook over HTTP/1.1, and how many of them wait for the next question. */
const CONNECTIONS_MAX = 64;
/** Some hundred certificates: to read more would hold up others. */
const CA_MAX_CHARACTERS = 512 * 1024;
/** Nobody asks anew where a service is so long. */
const ADDRESS_GOOD_MS = 1000;
const ASKED_RETRIES_MAX = 10;
/** One that asks for more patience is told to whoever asked. */
const RETRY_AFTER_MAX_MS = 30_000;
const LOST_RETRIES_MAX = 3;
/** A kept connection that the other side has left says so at once; one that ends later may have had its question worked on. */
const STALE_TELLS_MS = 1_000;
const NOBODY: Identity = { credentials: {} };

/** Loaded when the first webhook is asked: most servers have none. */
interface Means {
  readonly Client: typeof PlainClient;
  /** PEM of whom this machine trusts. */
  readonly roots: string | undefined;
}

function loadMeans(): Means {
  const { PlainClient: Client } = require("@orch/client") as typeof import("@orch/client");
  return { Client, roots: systemRoots(process.env) };
}

interface KeptClient {
  readonly client: PlainClient;
  underWay: number;
  usedMs: number;
  /** Closed when the last question is answered. */
  isLeaving: boolean;
}

export class WebhookClients {
  private readonly kept = new Map<string, KeptClient>();
  private readonly identities = new WeakMap<Identity, number>();
  private readonly keys = new WeakMap<WebhookPlace, { readonly identity: Identity; readonly key: string }>();
  private lastIdentity = 0;
  private sweeper: NodeJS.Timeout | undefined;
  private readonly clock: Clock;
  private readonly waits: LongWaits;
  private means: Means | undefined;

  constructor(private readonly parts: WebhookClientsParts) {
    this.clock = parts.clock ?? systemClock;
    this.waits = new LongWaits(this.clock);
  }

  /** @throws WebhookError where there is no answer, or none of success */
  async post(place: WebhookPlace, question: WebhookQuestion): Promise<Buffer> {
    const { body, answerMaxBytes, timeoutMs, signal, tellsTimeout = false } = question;
    const query = tellsTimeout ? `timeout=${Math.ceil(timeoutMs / 1000)}s` : "";
    const bound = new CallBound(this.clock, timeoutMs, signal);
    const wait = this.waits.begin(signal);
    let kept: KeptClient | undefined;
    try {
      this.means ??= loadMeans();
      if (place.service === undefined) await bound.within(this.permitted(place));
      kept = this.clientOf(this.means, place, question.identity ?? NOBODY);
      kept.underWay += 1;
      const path = withQuery(place.path, query);
      const answer = await bound.within(this.tried(kept.client, { path, body, answerMaxBytes, signal: bound }));
      if (answer.status >= 200 && answer.status <= 206) return answer.body;
      throw new WebhookError(statusWords(answer));
    } catch (error) {
      if (error instanceof WebhookError) throw error;
      const { end } = bound;
      const shown = `Post ${JSON.stringify(withQuery(place.text, query))}`;
      if (end !== undefined) throw new WebhookError(`${shown}: ${END_WORDS[end]}`, { end });
      throw new WebhookError(`${shown}: ${failureWords(error, place)}`, { cause: error });
    } finally {
      this.waits.end(wait);
      bound.release();
      if (kept !== undefined) this.done(kept);
    }
  }

  close(): void {
    clearInterval(this.sweeper);
    for (const { client } of this.kept.values()) client.close();
    this.kept.clear();
  }

  /** How many are kept. */
  get size(): number {
    return this.kept.size;
  }

  /** Asks again what the webhook wants to be asked again, and what was sent on a kept connection that it had left meanwhile. */
  private async tried(client: PlainClient, of: PlainPost): Promise<PlainAnswer> {
    let asked = 0;
    let lost = 0;
    for (;;) {
      const sentMs = this.clock.elapsed();
      try {
        const answer = await client.post(of);
        const waitMs = retryAfterMs(answer);
        if (waitMs === undefined || asked >= ASKED_RETRIES_MAX) return answer;
        asked += 1;
        await pause(this.clock, waitMs, of.signal);
      } catch (error) {
        const isPrompt = this.clock.elapsed() - sentMs < STALE_TELLS_MS;
        if (of.signal.aborted || lost >= LOST_RETRIES_MAX || !isPrompt || !wasLost(error)) throw error;
        lost += 1;
      }
    }
  }

  /** @throws WebhookError for a URL whose host is an address that the guard refuses */
  private async permitted({ url, text }: WebhookPlace): Promise<void> {
    const reason = await literalRefusal(this.parts.guard, hostAndPort(url));
    if (reason !== undefined) throw new WebhookError(`Post ${JSON.stringify(text)}: ${reason}`);
  }

  private clientOf(means: Means, place: WebhookPlace, identity: Identity): KeptClient {
    const key = this.keyOf(place, identity);
    let kept = this.kept.get(key);
    if (kept === undefined) {
      kept = { client: this.made(means, place, identity), underWay: 0, usedMs: 0, isLeaving: false };
      if (this.kept.size >= CLIENTS_MAX) this.leaveOldest();
      this.kept.set(key, kept);
    }
    kept.usedMs = this.clock.elapsed();
    this.sweeper ??= setInterval(() => this.sweep(), IDLE_MS / 3).unref();
    return kept;
  }

  /** Written once for a place: it holds certificates. */
  private keyOf(place: WebhookPlace, identity: Identity): string {
    const known = this.keys.get(place);
    if (known?.identity === identity) return known.key;
    const key = JSON.stringify([place.text, place.ca ?? "", this.numberOf(identity)]);
    this.keys.set(place, { identity, key });
    return key;
  }

  private made({ Client, roots }: Means, place: WebhookPlace, identity: Identity): PlainClient {
    if ((place.ca?.length ?? 0) > CA_MAX_CHARACTERS) {
      throw new WebhookError(`the caBundle has more than ${CA_MAX_CHARACTERS} characters`);
    }
    const ca = place.ca ?? roots;
    const port = place.service?.port ?? hostAndPort(place.url).port;
    return new Client({
      server: place.url,
      tls: ca === undefined ? {} : { ca: { kind: "text", text: ca } },
      identity,
      userAgent: this.parts.userAgent,
      connectionsMax: CONNECTIONS_MAX,
      clock: this.clock,
      guard: (host) => this.parts.guard.refusal({ host, port }),
      ...(place.service && { address: this.addressOf(place.service), authority: place.target }),
    });
  }

  private addressOf(service: NonNullable<WebhookPlace["service"]>): () => Promise<NetworkAddress> {
    let known: { readonly at: Promise<NetworkAddress>; readonly sinceMs: number } | undefined;
    return () => {
      const nowMs = this.clock.elapsed();
      if (known === undefined || nowMs - known.sinceMs >= ADDRESS_GOOD_MS) {
        known = { at: this.parts.resolve(service), sinceMs: nowMs };
        // Told to those who wait for it; whoever comes later looks anew.
        known.at.catch(() => {
          known = undefined;
        });
      }
      return known.at;
    };
  }

  private numberOf(identity: Identity): number {
    let number = this.identities.get(identity);
    if (number === undefined) {
      this.lastIdentity += 1;
      number = this.lastIdentity;
      this.identities.set(identity, number);
    }
    return number;
  }

  private done(kept: KeptClient): void {
    kept.underWay -= 1;
    kept.usedMs = this.clock.elapsed();
    if (kept.isLeaving && kept.underWay === 0) kept.client.close();
  }

  private leaveOldest(): void {
    let oldest: [string, KeptClient] | undefined;
    for (const each of this.kept) if (oldest === undefined || each[1].usedMs < oldest[1].usedMs) oldest = each;
    if (oldest !== undefined) this.leave(...oldest);
  }

  private leave(key: string, kept: KeptClient): void {
    this.kept.delete(key);
    kept.isLeaving = true;
    if (kept.underWay === 0) kept.client.close();
  }

  private sweep(): void {
    const nowMs = this.clock.elapsed();
    for (const [key, kept] of this.kept) {
      if (kept.underWay === 0 && nowMs - kept.usedMs >= IDLE_MS) this.leave(key, kept);
    }
    if (this.kept.size > 0) return;
    clearInterval(this.sweeper);
    this.sweeper = undefined;
  }
}

const END_WORDS = { late: "context deadline exceeded", ended: "context canceled" } as const;

const hostAndPort = ({ hostname, port }: URL): NetworkAddress => ({
  host: hostname.replace(/^\[|\]$/g, ""),
  port: Number(port || 443),
});

const withQuery = (text: string, query: string): string =>
  query === "" ? text : `${text}${text.includes("?") ? "&" : "?"}${query}`;

function retryAfterMs({ status, headers }: PlainAnswer): number | undefined {
  const text = headers["retry-after"];
  if ((status !== 429 && status < 500) || text === undefined || text.trim() === "") return undefined;
  const askedMs = Number(text) * 1000;
  return askedMs >= 0 && askedMs <= RETRY_AFTER_MAX_MS ? askedMs : undefined;
}

/** Of a kept connection that ended without a word, the other side need not have seen what was sent. */
function wasLost(error: unknown): boolean {
  if (!isConnectionError(error)) return false;
  if (error.notProcessed) return !NOT_THERE.has(error.code ?? "") && error.onKeptConnection;
  return error.onKeptConnection && (error.code === undefined || ENDED.test(error.code));
}

const NOT_THERE: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH"]);
const ENDED = /^(ECONNRESET|EPIPE|ERR_HTTP2_.*)$/;
