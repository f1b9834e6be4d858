// Distributed claims: groups that a token does not contain. The token names an endpoint that returns them in a token of
// its own. Source: OpenID Connect Core, section 5.6.2.
import type { Clock } from "@orch/platform";
import { isObject, type JsonObject, type JsonValue, memberOf } from "@orch/schema";
import { issuerOf, readCompactToken } from "../tokens/signed/compact-token";
import type { SignatureAlgorithm } from "../tokens/signed/signature-algorithm";
import type { IssuerKeys } from "./issuer-keys";
import { validityOf } from "./registered-claims";
import { ClaimsError } from "./user-of-claims";

export interface DistributedClaimsDeps {
  /** Fetches the text at an https address, authorized by a token, with limits on time and size. */
  fetchText(url: string, bearerToken: string): Promise<string>;
  /**
   * Creates the keys of an issuer other than the token's, on first use.
   * @returns its keys, not yet started
   */
  issuerKeys(issuer: string): IssuerKeys;
  readonly clock: Clock;
}

export interface DistributedClaimsOptions {
  readonly claim: string;
  readonly issuer: string;
  readonly keys: IssuerKeys;
  readonly audiences: readonly string[];
  readonly algorithms: readonly SignatureAlgorithm[];
}

export interface ClaimSource {
  readonly endpoint: string;
  /** Bearer token for the endpoint. */
  readonly accessToken: string;
}

/** Maximum number of concurrent requests: each may take seconds. */
const UNDER_WAY_MAX = 32;
/** Maximum number of other issuers whose answers are verified. Trusted issuers name the sources: they are few. */
const ISSUERS_MAX = 8;

export class DistributedClaims {
  private underWay = 0;
  private readonly others = new Map<string, IssuerKeys>();

  constructor(
    private readonly options: DistributedClaimsOptions,
    private readonly deps: DistributedClaimsDeps,
  ) {}

  /**
   * Returns the endpoint of a distributed claim.
   * @returns undefined when nothing must be fetched
   * @throws ClaimsError for an invalid source
   */
  sourceOf(claims: JsonObject): ClaimSource | undefined {
    const { claim } = this.options;
    if (memberOf(claims, claim) !== undefined) return undefined;
    const names = memberOf(claims, "_claim_names");
    if (names === undefined) return undefined;
    if (!isObject(names)) throw new ClaimsError("claim _claim_names is not an object");
    const name = memberOf(names, claim);
    if (name === undefined) return undefined;
    const sources = memberOf(claims, "_claim_sources");
    const source = typeof name === "string" && isObject(sources) ? memberOf(sources, name) : undefined;
    if (source === undefined || !isObject(source)) throw new ClaimsError(`claim ${claim} has no source`);
    const { endpoint = "", access_token: accessToken = "" } = source;
    // Aggregated claims, which are in the token itself and signed by another issuer, are ignored.
    if (endpoint === "") return undefined;
    if (typeof endpoint !== "string" || typeof accessToken !== "string" || !/^[\x21-\x7e]*$/.test(accessToken)) {
      throw new ClaimsError(`the source of claim ${claim} is malformed`);
    }
    return { endpoint, accessToken };
  }

  /**
   * Fetches the claim.
   * @returns the claims with the fetched one added
   * @throws Error with the reason of a failure
   */
  async expand(claims: JsonObject, { endpoint, accessToken }: ClaimSource): Promise<JsonObject> {
    const { claim } = this.options;
    if (this.underWay >= UNDER_WAY_MAX) throw new Error(`too many requests for claim ${claim} are in progress`);
    this.underWay += 1;
    try {
      const value = await this.verified(await this.deps.fetchText(endpoint, accessToken));
      return { ...claims, [claim]: value };
    } catch (error) {
      throw new Error(`claim ${claim}, from its source: ${(error as Error).message}`);
    } finally {
      this.underWay -= 1;
    }
  }

  stop(): void {
    for (const keys of this.others.values()) keys.stop();
  }

  private async verified(text: string): Promise<JsonValue> {
    const { claim, audiences, algorithms } = this.options;
    const token = readCompactToken(text.trim());
    const issuer = token && issuerOf(token);
    if (token === undefined || issuer === undefined || issuer === "")
      throw new Error("the answer is not a signed token");
    const validity = validityOf(token.claims, { audiences, nowMs: this.deps.clock.now() });
    if (typeof validity === "string") throw new Error(`its token: ${validity}`);
    const algorithm = algorithms.find((each) => each === token.algorithm);
    if (algorithm === undefined) throw new Error("its token is signed with an algorithm that is not accepted");
    const keys = this.keysOf(issuer);
    if (keys.current === undefined) await keys.fresher();
    if (keys.current?.verify(token, algorithm) === "unknownKey") await keys.fresher();
    if (keys.current?.verify(token, algorithm) !== "verified") throw new Error("its token's signature is not verified");
    const value = memberOf(token.claims, claim);
    if (value === undefined) throw new Error("its token lacks the claim");
    return value;
  }

  private keysOf(issuer: string): IssuerKeys {
    if (issuer === this.options.issuer) return this.options.keys;
    const known = this.others.get(issuer);
    if (known !== undefined) return known;
    if (this.others.size >= ISSUERS_MAX) throw new Error("its token is of too many issuers");
    const made = this.deps.issuerKeys(issuer);
    this.others.set(issuer, made);
    return made;
  }
}
