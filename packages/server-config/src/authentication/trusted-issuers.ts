// The trusted issuers. The set can be replaced while requests are served.

import {
  credentialKey,
  DistributedClaims,
  IssuerKeys,
  type IssuerKeysObserver,
  JwtAuthenticator,
  type JwtConfiguration,
  type JwtIssuer,
  type SignInEndpoints,
  type TokenAuthenticator,
} from "@orch/auth";
import { type EgressSelector, type Log, type NamedMetrics, systemClock } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import { hashText, identityHash } from "../option-files/configuration-hash";
import { HttpsDocuments } from "./https-document";

export type IssuerMetrics = NamedMetrics<
  "apiserver_authentication_jwt_authenticator_jwks_fetches_total",
  | "apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds"
  | "apiserver_authentication_jwt_authenticator_jwks_fetch_last_key_set_info",
  "apiserver_authentication_jwt_authenticator_latency_seconds"
>;

export interface IssuerParts {
  readonly logger: Log;
  readonly metrics: IssuerMetrics;
  readonly egress?: EgressSelector;
  readonly vocabulary: Vocabulary;
  readonly release: string;
}

export interface SignInIssuer {
  readonly url: string;
  /** Undefined until the issuer's document was fetched, or when it lacks them. */
  readonly endpoints: SignInEndpoints | undefined;
}

interface InForce {
  readonly authenticator: TokenAuthenticator;
  readonly issuers: readonly JwtIssuer[];
  isOver: boolean;
}

export class TrustedIssuers {
  readonly tokens: TokenAuthenticator = {
    authenticateToken: (token, question) => this.current.authenticator.authenticateToken(token, question),
  };
  private current: InForce;

  /** @throws Error for an invalid CA */
  constructor(
    configurations: readonly JwtConfiguration[],
    private readonly parts: IssuerParts,
  ) {
    this.current = this.make(configurations, []);
  }

  /**
   * Replaces the issuers; changes nothing when it throws. Cached tokens are verified anew. Issuers that stay keep their
   * keys, because they may
   * be unreachable just now.
   */
  replace(configurations: readonly JwtConfiguration[]): void {
    const before = this.current;
    this.current = this.make(configurations, before.issuers);
    end(before);
  }

  /** Returns the first issuer whose tokens may be for an audience, and its endpoints once they are known. */
  issuerFor(audience: string): SignInIssuer | undefined {
    const found = this.current.issuers.find(({ configuration }) => configuration.issuer.audiences.includes(audience));
    return found && { url: found.configuration.issuer.url, endpoints: found.keys.endpoints };
  }

  stop(): void {
    end(this.current);
  }

  private make(configurations: readonly JwtConfiguration[], before: readonly JwtIssuer[]): InForce {
    const { metrics, vocabulary, release } = this.parts;
    const issuers = configurations.map((each) => this.issuerOf(each, keysBefore(each, before)));
    const latency = metrics.histogram("apiserver_authentication_jwt_authenticator_latency_seconds");
    const authenticator = new JwtAuthenticator(
      issuers,
      {
        clock: systemClock,
        credentialKey: credentialKey(vocabulary, release),
        decided: (issuer, result, tookMs) =>
          latency.labels({ result, jwt_issuer_hash: hashText(issuer) }).observe(tookMs / 1000),
      },
      () => !made.isOver,
    );
    const made: InForce = { authenticator, issuers, isOver: false };
    for (const { keys } of issuers) keys.start();
    return made;
  }

  private issuerOf(configuration: JwtConfiguration, known: IssuerKeys["current"]): JwtIssuer {
    const { issuer, groups, algorithms } = configuration;
    const documents = new HttpsDocuments(issuer.ca, issuer.egress && this.parts.egress?.dialer(issuer.egress));
    const keysOf = (of: ConstructorParameters<typeof IssuerKeys>[0]) =>
      new IssuerKeys(of, {
        fetchJson: (place, signal) => documents.json(place, signal),
        clock: systemClock,
        chance: Math.random,
        observer: this.observer,
      });
    const keys = keysOf({ issuer: issuer.url, discoveryUrl: issuer.discoveryUrl, known });
    if (groups?.kind !== "claim") return { configuration, keys };
    const distributed = new DistributedClaims(
      { claim: groups.claim, issuer: issuer.url, keys, audiences: issuer.audiences, algorithms },
      {
        fetchText: (place, token) => documents.token(place, token),
        issuerKeys: (url) => keysOf({ issuer: url }),
        clock: systemClock,
      },
    );
    return { configuration, keys, distributed };
  }

  private readonly observer: IssuerKeysObserver = {
    fetched: (issuer, keys, text) => {
      this.count(issuer, "success");
      const { logger } = this.parts;
      if (this.told.get(issuer) === keys) return;
      this.noteKeys(issuer, text);
      this.told.set(issuer, keys);
      logger.info("fetched the keys of a token issuer", { issuer, keys: keys.size, skipped: keys.skipped });
    },
    failed: (issuer, error, known) => {
      this.count(issuer, "failure");
      const message = known
        ? "cannot fetch the keys of a token issuer: the previous keys remain in use"
        : "cannot fetch the keys of a token issuer: its tokens are rejected";
      this.parts.logger.warn(message, { issuer, error: error.message });
    },
  };
  private readonly told = new Map<string, object>();

  private count(issuer: string, result: "success" | "failure"): void {
    const { metrics } = this.parts;
    const labels = { result, jwt_issuer_hash: hashText(issuer) };
    metrics.counter("apiserver_authentication_jwt_authenticator_jwks_fetches_total").inc(labels);
    metrics
      .gauge("apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds")
      .set({ ...labels, apiserver_id_hash: identityHash() }, Date.now() / 1000);
  }

  /** Records the hash of an issuer's keys in place of the one of its former keys. */
  private noteKeys(issuer: string, text: string): void {
    const gauge = this.parts.metrics.gauge("apiserver_authentication_jwt_authenticator_jwks_fetch_last_key_set_info");
    const former = this.keySets.get(issuer);
    if (former !== undefined) gauge.remove(former);
    const labels = { jwt_issuer_hash: hashText(issuer), apiserver_id_hash: identityHash(), hash: hashText(text) };
    this.keySets.set(issuer, labels);
    gauge.set(labels, 1);
  }

  /** Labels of the keys of each issuer. */
  private readonly keySets = new Map<string, Record<"jwt_issuer_hash" | "apiserver_id_hash" | "hash", string>>();
}

/** Keys of the same issuer with the same discovery address. */
function keysBefore({ issuer }: JwtConfiguration, before: readonly JwtIssuer[]): IssuerKeys["current"] {
  const same = before.find(
    ({ configuration: { issuer: of } }) => of.url === issuer.url && of.discoveryUrl === issuer.discoveryUrl,
  );
  return same?.keys.current;
}

function end(inForce: InForce): void {
  inForce.isOver = true;
  for (const { keys, distributed } of inForce.issuers) {
    keys.stop();
    distributed?.stop();
  }
}
