// The trusted issuers. The set can be replaced while requests are served.

import { hash } from "node:crypto";
import {
  credentialKey,
  DistributedClaims,
  IssuerKeys,
  type IssuerKeysObserver,
  JwtAuthenticator,
  type JwtConfiguration,
  type JwtIssuer,
  type TokenAuthenticator,
} from "@orch/auth";
import { type EgressSelector, type Log, type NamedMetrics, systemClock } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import { HttpsDocuments } from "./https-document";

export type IssuerMetrics = NamedMetrics<
  "apiserver_authentication_jwt_authenticator_jwks_fetches_total",
  never,
  "apiserver_authentication_jwt_authenticator_latency_seconds"
>;

export interface IssuerParts {
  readonly logger: Log;
  readonly metrics: IssuerMetrics;
  readonly egress?: EgressSelector;
  readonly vocabulary: Vocabulary;
  readonly release: string;
}

interface InForce {
  readonly authenticator: TokenAuthenticator;
  readonly issuers: readonly JwtIssuer[];
  isOver: boolean;
}

/** Hash of the issuer for metrics: URLs are not suitable as labels. */
const issuerHash = (url: string): string => `sha256:${hash("sha256", url, "hex")}`;

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
          latency.labels({ result, jwt_issuer_hash: issuerHash(issuer) }).observe(tookMs / 1000),
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
    fetched: (issuer, keys) => {
      this.count(issuer, "success");
      const { logger } = this.parts;
      if (this.told.get(issuer) === keys) return;
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
    const labels = { result, jwt_issuer_hash: issuerHash(issuer) };
    this.parts.metrics.counter("apiserver_authentication_jwt_authenticator_jwks_fetches_total").inc(labels);
  }
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
