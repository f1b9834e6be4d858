// Keys of one issuer, fetched in the background: at the start until there are some, periodically, and when a token
// names an unknown key. Many tokens do not cause many requests: there is a pause between two fetches that tokens cause.
// Source: OpenID Connect Discovery.
import { type Clock, pauseMsAfter, type RandomSource } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import { KeySet } from "./key-set";
import { type SignInEndpoints, signInEndpoints } from "./sign-in-endpoints";

export interface IssuerKeysOptions {
  /** Issuer of the tokens and of its own discovery document. */
  readonly issuer: string;
  /** Default: the well-known path below the issuer. */
  readonly discoveryUrl?: string | undefined;
  /** Keys known from before, in force until new ones are fetched. */
  readonly known?: KeySet | undefined;
}

export interface IssuerKeysDeps {
  /** Fetches the JSON at an https address with limits on time and size. Redirects are not followed. */
  fetchJson(url: string, signal: AbortSignal): Promise<JsonObject>;
  readonly clock: Clock;
  readonly chance: RandomSource;
  readonly observer?: IssuerKeysObserver;
}

export interface IssuerKeysObserver {
  /** @param text the keys of the document, as JSON */
  fetched(issuer: string, keys: KeySet, text: string): void;
  /** @param known whether earlier keys exist, which stay in force */
  failed(issuer: string, error: Error, known: boolean): void;
}

const AGAIN_MS = 10 * 60_000;
const AFTER_FAILURE = { firstMs: 1000, maxMs: 60_000 };
const JITTER = 0.2;
/** Pause between two fetches for tokens with unknown keys. */
const ASKED_PAUSE_MS = 5_000;
/** How long a token waits for a key that is being fetched, and how many tokens wait at a time. */
const WAIT_MS = 3000;
const WAITERS_MAX = 64;

export class IssuerKeys {
  /** Undefined until the first fetch. The object stays the same as long as the keys do. */
  current: KeySet | undefined;
  /** Endpoints of the issuer's own document, when it was last fetched. */
  endpoints: SignInEndpoints | undefined;
  private text = "";
  private loading: Promise<void> | undefined;
  private begunMs = Number.NEGATIVE_INFINITY;
  private failures = 0;
  private waiters = 0;
  private cancelNext: (() => void) | undefined;
  private nextMs = Number.POSITIVE_INFINITY;
  private readonly ended = new AbortController();

  constructor(
    private readonly options: IssuerKeysOptions,
    private readonly deps: IssuerKeysDeps,
  ) {
    this.current = options.known;
  }

  start(): void {
    this.load();
  }

  stop(): void {
    this.ended.abort();
    this.cancelNext?.();
  }

  /**
   * Fetches the keys for a token whose key is not among the current ones.
   * @returns a promise of true when they were fetched since; undefined when no fetch is possible now and the token does
   *   not wait
   */
  fresher(): Promise<boolean> | undefined {
    if (this.loading === undefined) {
      const pauseMs = this.begunMs + ASKED_PAUSE_MS - this.deps.clock.elapsed();
      if (pauseMs > 0) {
        this.loadIn(pauseMs);
        return undefined;
      }
      this.load();
    }
    if (this.waiters >= WAITERS_MAX || this.loading === undefined) return undefined;
    return this.wait(this.loading, this.current);
  }

  private async wait(loading: Promise<void>, before: KeySet | undefined): Promise<boolean> {
    this.waiters += 1;
    let cancel: () => void = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.deps.clock.after(WAIT_MS, resolve, { background: true });
    });
    try {
      await Promise.race([loading, late]);
      return this.current !== before;
    } finally {
      cancel();
      this.waiters -= 1;
    }
  }

  private load(): void {
    if (this.loading !== undefined || this.ended.signal.aborted) return;
    this.cancelNext?.();
    this.nextMs = Number.POSITIVE_INFINITY;
    this.begunMs = this.deps.clock.elapsed();
    this.loading = this.fetch().finally(() => {
      this.loading = undefined;
    });
  }

  private async fetch(): Promise<void> {
    const { issuer } = this.options;
    const { observer, chance } = this.deps;
    try {
      const keys = await this.fetchKeys();
      this.failures = 0;
      if (this.ended.signal.aborted) return;
      this.current = keys;
      observer?.fetched(issuer, keys, this.text);
      this.loadIn(AGAIN_MS * (1 + JITTER * chance()));
    } catch (error) {
      if (this.ended.signal.aborted) return;
      observer?.failed(issuer, error as Error, this.current !== undefined);
      this.loadIn(pauseMsAfter(AFTER_FAILURE, this.failures) * (1 + JITTER * chance()));
      this.failures += 1;
    }
  }

  private async fetchKeys(): Promise<KeySet> {
    const { issuer, discoveryUrl = wellKnown(issuer) } = this.options;
    const { signal } = this.ended;
    const discovered = await this.deps.fetchJson(discoveryUrl, signal);
    if (discovered["issuer"] !== issuer) throw new Error("the discovery document belongs to another issuer");
    this.endpoints = signInEndpoints(discovered);
    const { jwks_uri: place } = discovered;
    if (typeof place !== "string") throw new Error("the discovery document lacks jwks_uri");
    const document = await this.deps.fetchJson(place, signal);
    const text = JSON.stringify(document["keys"]) ?? "";
    const keys = this.current !== undefined && text === this.text ? this.current : await KeySet.read(document);
    this.text = text;
    return keys;
  }

  /** Schedules a fetch unless an earlier one is scheduled. */
  private loadIn(delayMs: number): void {
    const { clock } = this.deps;
    const atMs = clock.elapsed() + delayMs;
    if (this.ended.signal.aborted || atMs >= this.nextMs) return;
    this.cancelNext?.();
    this.nextMs = atMs;
    this.cancelNext = clock.after(delayMs, () => this.load(), { background: true });
  }
}

const wellKnown = (issuer: string): string => `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
