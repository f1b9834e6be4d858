// Requests to webhooks over TLS, bounded in time and in response size, on kept connections. Redirects to another address
// are not followed.
// Source: Kubernetes documentation, "Dynamic Admission Control".
import type { Identity, NetworkAddress, RawClient, RawPost, RawResponse } from "@orch/client";
import { type Clock, type Dialer, type EndSignal, LongWaits, pause, systemClock, systemRoots } from "@orch/platform";
import { type DialGuard, literalRefusal } from "../services/dial-guard";
import type { ServiceResolver } from "../services/service-address";
import { CallBound } from "./call-bound";
import { failureWords, isConnectionError, statusWords } from "./failure-words";
import { redirectedPath } from "./redirected-path";
import type { WebhookAddress } from "./webhook-address";
import { WebhookError } from "./webhook-error";

export interface WebhookClientsParts {
  /**
   * Resolves services. The resolver rejects addresses by the guard, except for those that are configured to be called.
   */
  readonly resolve: ServiceResolver;
  /** Checks the addresses of URLs and of service names. */
  readonly guard: DialGuard;
  /** Returns the reason why a service must not be called at this path; undefined for an allowed one. */
  readonly serviceRefusal?: (place: WebhookAddress) => string | undefined;
  readonly userAgent: string;
  /** Returns the dialer of connections to a webhook; undefined: they are direct. */
  readonly dialerOf?: ((place: WebhookAddress) => Dialer | undefined) | undefined;
  readonly clock?: Clock;
}

export interface WebhookQuestion {
  /** JSON. */
  readonly body: Uint8Array | string;
  /** Timeout including all retries. */
  readonly timeoutMs: number;
  readonly answerMaxBytes: number;
  /** Aborted when nothing waits for the response any more. */
  readonly signal: EndSignal;
  /** Credentials presented to the webhook; absent: none. The same object for the same user. */
  readonly identity?: Identity | undefined;
  /** Whether the query parameter `timeout` is sent. */
  readonly tellsTimeout?: boolean;
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Maximum number of clients. The least recently used one is closed beyond it. */
const CLIENTS_MAX = 200;
const IDLE_MS = 90_000;
/** Maximum number of HTTP/1.1 connections to one webhook, and of idle ones among them. */
const CONNECTIONS_MAX = 64;
/** Room for some hundred certificates. Parsing more would block the event loop. */
const CA_MAX_CHARACTERS = 512 * 1024;
/** Lifetime of a resolved service address. */
const ADDRESS_GOOD_MS = 1000;
const ASKED_RETRIES_MAX = 10;
/** A response with a longer Retry-After is returned to the caller. */
const RETRY_AFTER_MAX_MS = 30_000;
const LOST_RETRIES_MAX = 3;
/** Maximum number of redirects of one call; the same as that of clients in Go. */
const REDIRECTS_MAX = 10;
/**
 * A failure on a kept connection within this time is retried: a closed connection fails at once. Later failures may
 * follow a processed request.
 */
const STALE_TELLS_MS = 1_000;
const NOBODY: Identity = { credentials: {} };

/** Loaded at the first webhook call: most servers have no webhooks. */
interface Means {
  readonly Client: typeof RawClient;
  /** PEM of the machine's trusted certificate authorities. */
  readonly roots: string | undefined;
}

function loadMeans(): Means {
  const { RawClient: Client } = require("@orch/client") as typeof import("@orch/client");
  return { Client, roots: systemRoots(process.env) };
}

interface StoredClient {
  readonly client: RawClient;
  underWay: number;
  usedMs: number;
  /** Closed after its last running call. */
  isLeaving: boolean;
}

export class WebhookClients {
  private readonly kept = new Map<string, StoredClient>();
  private readonly identities = new WeakMap<Identity, number>();
  private readonly keys = new WeakMap<WebhookAddress, { readonly identity: Identity; readonly key: string }>();
  private lastIdentity = 0;
  private sweeper: NodeJS.Timeout | undefined;
  private readonly clock: Clock;
  private readonly waits: LongWaits;
  private means: Means | undefined;

  constructor(private readonly parts: WebhookClientsParts) {
    this.clock = parts.clock ?? systemClock;
    this.waits = new LongWaits(this.clock);
  }

  /** Sends a request. @throws WebhookError without a successful response */
  async post(place: WebhookAddress, question: WebhookQuestion): Promise<Buffer> {
    const { body, answerMaxBytes, timeoutMs, signal, tellsTimeout = false, headers } = question;
    const query = tellsTimeout ? `timeout=${Math.ceil(timeoutMs / 1000)}s` : "";
    const bound = new CallBound(this.clock, timeoutMs, signal);
    const wait = this.waits.begin(signal);
    let kept: StoredClient | undefined;
    try {
      this.means ??= loadMeans();
      await bound.within(this.permitted(place));
      kept = this.clientOf(this.means, place, question.identity ?? NOBODY);
      kept.underWay += 1;
      const path = withQuery(place.path, query);
      const answer = await bound.within(
        this.followed(kept.client, place.url, { path, body, answerMaxBytes, signal: bound, headers }),
      );
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

  /** Number of kept clients. */
  get size(): number {
    return this.kept.size;
  }

  /** Sends a request, and again to each path on the same address to which the webhook redirects it. */
  private async followed(client: RawClient, url: URL, of: RawPost): Promise<RawResponse> {
    let { path } = of;
    for (let redirects = 0; ; redirects += 1) {
      const answer = await this.tried(client, { ...of, path });
      const next = redirectedPath(answer, { url, path });
      if (next === undefined || redirects >= REDIRECTS_MAX) return answer;
      path = next;
    }
  }

  /**
   * Sends a request. Repeats it after a response with Retry-After, and when a kept connection was closed by the
   * webhook.
   */
  private async tried(client: RawClient, of: RawPost): Promise<RawResponse> {
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

  /** Checks the host of a URL, or a service. @throws WebhookError for one that must not be called */
  private async permitted(place: WebhookAddress): Promise<void> {
    const reason =
      place.service === undefined
        ? await literalRefusal(this.parts.guard, hostAndPort(place.url))
        : this.parts.serviceRefusal?.(place);
    if (reason !== undefined) throw new WebhookError(`Post ${JSON.stringify(place.text)}: ${reason}`);
  }

  private clientOf(means: Means, place: WebhookAddress, identity: Identity): StoredClient {
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

  /** Returns the key of a client. It is computed once per webhook, because it contains certificates. */
  private keyOf(place: WebhookAddress, identity: Identity): string {
    const known = this.keys.get(place);
    if (known?.identity === identity) return known.key;
    const key = JSON.stringify([place.text, place.ca ?? "", this.numberOf(identity)]);
    this.keys.set(place, { identity, key });
    return key;
  }

  private made({ Client, roots }: Means, place: WebhookAddress, identity: Identity): RawClient {
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
      dialer: this.parts.dialerOf?.(place),
      clock: this.clock,
      guard: (host) => this.parts.guard.refusal({ host, port }),
      ...(place.service && { address: this.addressOf(place.service), authority: place.target }),
    });
  }

  private addressOf(service: NonNullable<WebhookAddress["service"]>): () => Promise<NetworkAddress> {
    let known: { readonly at: Promise<NetworkAddress>; readonly sinceMs: number } | undefined;
    return () => {
      const nowMs = this.clock.elapsed();
      if (known === undefined || nowMs - known.sinceMs >= ADDRESS_GOOD_MS) {
        known = { at: this.parts.resolve(service), sinceMs: nowMs };
        // Callers that wait get the error. The next caller resolves again.
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

  private done(kept: StoredClient): void {
    kept.underWay -= 1;
    kept.usedMs = this.clock.elapsed();
    if (kept.isLeaving && kept.underWay === 0) kept.client.close();
  }

  private leaveOldest(): void {
    let oldest: [string, StoredClient] | undefined;
    for (const each of this.kept) if (oldest === undefined || each[1].usedMs < oldest[1].usedMs) oldest = each;
    if (oldest !== undefined) this.leave(...oldest);
  }

  private leave(key: string, kept: StoredClient): void {
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

function retryAfterMs({ status, headers }: RawResponse): number | undefined {
  const text = headers["retry-after"];
  if ((status !== 429 && status < 500) || text === undefined || text.trim() === "") return undefined;
  const askedMs = Number(text) * 1000;
  return askedMs >= 0 && askedMs <= RETRY_AFTER_MAX_MS ? askedMs : undefined;
}

/**
 * Reports whether the webhook cannot have processed a request on a kept connection that was closed without a response.
 */
function wasLost(error: unknown): boolean {
  if (!isConnectionError(error)) return false;
  if (error.notProcessed) return !NOT_THERE.has(error.code ?? "") && error.onKeptConnection;
  return error.onKeptConnection && (error.code === undefined || ENDED.test(error.code));
}

const NOT_THERE: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH"]);
const ENDED = /^(ECONNRESET|EPIPE|ERR_HTTP2_.*)$/;
