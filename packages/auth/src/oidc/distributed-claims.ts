// Groups that a token does not say itself: it names who is to be asked for them, who answers with a token of its own.
// Source: OpenID Connect Core, section 5.6.2.
import type { Clock } from "@orch/platform";
import { isObject, type JsonObject, type JsonValue, memberOf } from "@orch/schema";
import { issuerOf, readCompactToken } from "../tokens/signed/compact-token";
import type { IssuerKeys } from "./issuer-keys";
import { validityOf } from "./registered-claims";
import type { SignatureAlgorithm } from "./signature-algorithm";
import { ClaimsError } from "./user-of-claims";

export interface DistributedClaimsDeps {
  /** What an https address answers who shows a token there: bounded in time and size. */
  fetchText(url: string, bearerToken: string): Promise<string>;
  /** Of another issuer than the token's. @returns its keys, made when they are first asked for; not yet started */
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
  /** Shown there. */
  readonly accessToken: string;
}

/** At a time: each may take seconds. */
const UNDER_WAY_MAX = 32;
/** Other issuers whose answers are verified. Who sources are, trusted issuers say: they are few. */
const ISSUERS_MAX = 8;

export class DistributedClaims {
  private underWay = 0;
  private readonly others = new Map<string, IssuerKeys>();

  constructor(
    private readonly options: DistributedClaimsOptions,
    private readonly deps: DistributedClaimsDeps,
  ) {}

  /** @returns undefined where there is nothing to be asked for @throws ClaimsError for a source that is not as it should be */
  sourceOf(claims: JsonObject): ClaimSource | undefined {
    const { claim } = this.options;
    if (memberOf(claims, claim) !== undefined) return undefined;
    const names = memberOf(claims, "_claim_names");
    if (names === undefined) return undefined;
    if (!isObject(names)) throw new ClaimsError("claim _claim_names is no object");
    const name = memberOf(names, claim);
    if (name === undefined) return undefined;
    const sources = memberOf(claims, "_claim_sources");
    const source = typeof name === "string" && isObject(sources) ? memberOf(sources, name) : undefined;
    if (source === undefined || !isObject(source)) throw new ClaimsError(`claim ${claim} has no source`);
    const { endpoint = "", access_token: accessToken = "" } = source;
    // What is said to be in the token itself, signed by somebody else, is not looked at.
    if (endpoint === "") return undefined;
    if (typeof endpoint !== "string" || typeof accessToken !== "string" || !/^[\x21-\x7e]*$/.test(accessToken)) {
      throw new ClaimsError(`the source of claim ${claim} is not as it should be`);
    }
    return { endpoint, accessToken };
  }

  /** @returns the claims, with what was asked for among them @throws Error that says why it is not */
  async expand(claims: JsonObject, { endpoint, accessToken }: ClaimSource): Promise<JsonObject> {
    const { claim } = this.options;
    if (this.underWay >= UNDER_WAY_MAX) throw new Error(`claim ${claim} is being asked for too often`);
    this.underWay += 1;
    try {
      const value = await this.verified(await this.deps.fetchText(endpoint, accessToken));
      return { ...claims, [claim]: value };
    } catch (error) {
      throw new Error(`claim ${claim} of its source: ${(error as Error).message}`);
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
    if (token === undefined || issuer === undefined || issuer === "") throw new Error("the answer is no signed token");
    const validity = validityOf(token.claims, { audiences, nowMs: this.deps.clock.now() });
    if (typeof validity === "string") throw new Error(`its token: ${validity}`);
    const algorithm = algorithms.find((each) => each === token.algorithm);
    if (algorithm === undefined) throw new Error("its token is signed by an algorithm that is not accepted");
    const keys = this.keysOf(issuer);
    if (keys.current === undefined) await keys.fresher();
    if (keys.current?.verify(token, algorithm) === "unknownKey") await keys.fresher();
    if (keys.current?.verify(token, algorithm) !== "verified") throw new Error("its token's signature is not verified");
    const value = memberOf(token.claims, claim);
    if (value === undefined) throw new Error("its token does not have it");
    return value;
  }

  private keysOf(issuer: string): IssuerKeys {
    if (issuer === this.options.issuer) return this.options.keys;
    const known = this.others.get(issuer);
    if (known !== undefined) return known;
    if (this.others.size >= ISSUERS_MAX) throw new Error("its token is of one issuer too many");
    const made = this.deps.issuerKeys(issuer);
    this.others.set(issuer, made);
    return made;
  }
}
