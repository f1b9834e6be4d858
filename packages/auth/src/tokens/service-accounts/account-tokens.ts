// Service account tokens: bound tokens, and tokens that are kept in a Secret.
// Source: Kubernetes documentation, "Managing Service Accounts"; pkg/serviceaccount/jwt.go.
import { hash, timingSafeEqual } from "node:crypto";
import { compareReleases, type UserInfo } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import {
  type Authenticated,
  type AuthenticationOutcome,
  type CredentialUse,
  failed,
  NOT_APPLICABLE,
  NOT_REMEMBERED,
  type Refused,
  type TokenAuthenticator,
  type TokenCacheLifetime,
  type TokenQuestion,
} from "../../authentication/authenticator";
import { credentialId } from "../../identity/credential-ids";
import { serviceAccountGroups, serviceAccountUserName } from "../../identity/well-known-identities";
import { type CompactToken, issuerOf, readCompactToken } from "../signed/compact-token";
import type { KeyRing } from "../signed/key-ring";
import { type BoundClaims, readBoundClaims, readSecretClaims, type SecretClaims, timesIn } from "./account-claims";
import type { BoundKind, BoundObjects, TokenSecret } from "./bound-objects";

export interface AccountTokenDeps {
  readonly vocabulary: Vocabulary;
  /** Emulated release; decides which extra attributes users carry. */
  readonly release: string;
  readonly keys: KeyRing;
  /** Accepted issuers of bound tokens. */
  readonly issuers: readonly string[];
  /** Audiences of the server; empty: the server has none and does not check the audience of tokens. */
  readonly audiences: readonly string[];
  /** Whether a token from a Secret must still be stored in that Secret. */
  readonly lookup: boolean;
  readonly objects: BoundObjects;
  /** Fetches the keys again unless one has this id. Absent: the keys change without requests. */
  readonly refreshKeys?: ((keyId: string) => Promise<void>) | undefined;
  nowMs(): number;
  /** Called for each request with a token of this method. */
  used(token: TokenUse): void;
  /** Called for each token from a Secret, accepted or not, when their use is tracked. Absent: it is not tracked. */
  secretUsed?(secret: UsedSecret): void;
}

/**
 * `legacy`: kept in a Secret, of either kind when the use is tracked; `invalid`: no longer accepted; `stale`: used
 * after the requested lifetime.
 */
export type TokenUse = "legacy" | "automatic" | "manual" | "invalid" | "stale" | "valid";

export interface UsedSecret {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly lastUsed: string;
}

/** Tolerated difference between the clocks of the signing and the verifying server. */
const LEEWAY_MS = 60_000;
/** First release in which users carry the id of their credential and the node of their pod. */
const CREDENTIALS_SINCE = "1.30";

const UNREADABLE = failed("service account token: a claim is missing or malformed");
const EXPIRED = failed("service account token has expired");

export class AccountTokens implements TokenAuthenticator {
  private readonly legacyIssuer: string;

  constructor(private readonly deps: AccountTokenDeps) {
    this.legacyIssuer = deps.vocabulary.jwtClaims.orchServiceaccount;
  }

  authenticateToken(
    text: string,
    { audiences }: TokenQuestion,
  ): AuthenticationOutcome | Promise<AuthenticationOutcome> {
    const token = readCompactToken(text);
    if (token === undefined) return NOT_APPLICABLE;
    const issuer = issuerOf(token);
    const isBound = this.deps.issuers.includes(issuer);
    if (!isBound && issuer !== this.legacyIssuer) return NOT_APPLICABLE;
    const { keys, refreshKeys } = this.deps;
    const decide = () => (isBound ? this.bound(token, audiences) : this.ofSecret(text, token, audiences));
    const refuse = () => failed("service account token is not signed by a key of this server", this.whileKeys());
    if (keys.hasSigned(token)) return decide();
    return refreshKeys === undefined
      ? refuse()
      : refreshKeys(token.keyId).then(() => (keys.hasSigned(token) ? decide() : refuse()));
  }

  private bound(token: CompactToken, asked: readonly string[]): AuthenticationOutcome | Promise<AuthenticationOutcome> {
    const claims = readBoundClaims(token.claims, this.deps.vocabulary);
    if (claims === undefined) return UNREADABLE;
    const early = this.outOfTime(claims);
    if (early !== undefined) return early;
    const audiences = this.common(claims.audiences, asked);
    if (audiences === undefined) return wrongAudience(claims.audiences);
    const { expires, warnAfter = 0 } = claims;
    const warnAtMs = warnAfter * 1000;
    const endMs = expires * 1000 + LEEWAY_MS;
    const isStale = warnAfter !== 0 && this.deps.nowMs() > warnAtMs;
    return this.whileThere(() => this.problemOfBound(claims), {
      audiences,
      user: this.userOf(claims),
      untilMs: warnAfter === 0 || isStale ? endMs : Math.min(endMs, warnAtMs + 1),
      ...(warnAfter !== 0 && { used: () => this.noteUse(claims, isStale) }),
    });
  }

  private ofSecret(
    text: string,
    token: CompactToken,
    asked: readonly string[],
  ): AuthenticationOutcome | Promise<AuthenticationOutcome> {
    const claims = readSecretClaims(token.claims, this.deps.vocabulary);
    const times = timesIn(token.claims);
    if (claims === undefined || times === undefined) return UNREADABLE;
    const { name, uid } = claims.account;
    if (token.claims["sub"] !== serviceAccountUserName(claims.namespace, name)) return UNREADABLE;
    const early = this.outOfTime(times);
    if (early !== undefined) return early;
    // Such a token names no audience: it is valid for this server.
    const audiences = this.common(this.deps.audiences, asked);
    if (audiences === undefined) return wrongAudience(this.deps.audiences);
    const { lookup } = this.deps;
    const digest = hash("sha256", text, "buffer");
    const outcome = this.whileThere(() => (lookup ? this.problemOfSecret(claims, digest) : undefined), {
      audiences,
      user: { ...accountUser(claims.namespace, name), uid },
      untilMs: times.expires === undefined ? Infinity : times.expires * 1000 + LEEWAY_MS,
      used: () => this.noteSecretUse(claims),
    });
    return outcome instanceof Promise
      ? outcome.then((late) => this.noteInvalidUse(late, claims, digest))
      : this.noteInvalidUse(outcome, claims, digest);
  }

  /**
   * Returns the outcome, which stands while no problem occurs.
   * @param problem returns why the token is not valid for the current objects; undefined: it is valid
   */
  private whileThere(
    problem: () => string | undefined,
    of: {
      readonly user: UserInfo;
      readonly audiences: readonly string[];
      readonly untilMs: number;
      readonly used?: NonNullable<Authenticated["used"]>;
    },
  ): AuthenticationOutcome | Promise<AuthenticationOutcome> {
    const { version } = this.deps.keys;
    const { user, audiences, untilMs, used } = of;
    const holds = () => this.deps.keys.version === version && problem() === undefined;
    const good: Authenticated = {
      kind: "authenticated",
      user,
      ...(audiences.length > 0 && { audiences }),
      standing: { untilMs, holds },
      ...(used && { used }),
    };
    if (problem() === undefined) return good;
    // Another server may have stored a referenced object a moment ago.
    return this.deps.objects.caughtUp().then(
      () => {
        const found = problem();
        return found === undefined ? good : failed(found, { holds: () => problem() !== undefined });
      },
      () => {
        const found = problem();
        return found === undefined ? good : failed(`${found}, according to the watch cache`, NOT_REMEMBERED);
      },
    );
  }

  private problemOfBound({ namespace, account, secret, pod, node }: BoundClaims): string | undefined {
    return (
      this.problemOf("ServiceAccount", namespace, account) ??
      (secret && this.problemOf("Secret", namespace, secret)) ??
      (pod && this.problemOf("Pod", namespace, pod)) ??
      (node && pod === undefined ? this.problemOf("Node", "", node) : undefined)
    );
  }

  private problemOfSecret({ namespace, account, secretName }: SecretClaims, digest: Buffer): string | undefined {
    const secret = this.deps.objects.tokenSecret(namespace, secretName) ?? GONE;
    if (!isKeptIn(secret, digest)) return "service account token no longer matches its Secret";
    const ofAccount = this.problemOf("ServiceAccount", namespace, account);
    if (ofAccount !== undefined || secret.invalidSince === "") return ofAccount;
    const label = this.deps.vocabulary.labels.legacyTokenInvalidSince;
    return `the token in the Secret ${namespace}/${secretName} has been marked invalid: use TokenRequest, or remove the label ${label} from the Secret`;
  }

  private problemOf(
    kind: BoundKind,
    namespace: string,
    { name, uid }: { readonly name: string; readonly uid: string },
  ): string | undefined {
    const found = this.deps.objects.find(kind, namespace, name);
    if (found === undefined || found.uid !== uid) return `the ${kind} of the service account token no longer exists`;
    if (found.deletedAtMs === undefined) return undefined;
    // A pod runs until the end of its grace period, and a kubelet may have to report that.
    const endsAtMs = kind === "Pod" || kind === "Node" ? found.deletedAtMs + LEEWAY_MS : 0;
    return this.deps.nowMs() > endsAtMs ? `the ${kind} of the service account token is being deleted` : undefined;
  }

  private outOfTime(times: {
    readonly expires: number | undefined;
    readonly notBefore: number | undefined;
    readonly issuedAt: number | undefined;
  }): Refused | undefined {
    const { expires = Infinity, notBefore = 0, issuedAt = 0 } = times;
    const nowMs = this.deps.nowMs();
    if (nowMs > expires * 1000 + LEEWAY_MS) return EXPIRED;
    const startMs = Math.max(notBefore, issuedAt) * 1000 - LEEWAY_MS;
    return nowMs < startMs ? failed("service account token is not valid yet", this.whileKeys()) : undefined;
  }

  /**
   * Returns the common audiences.
   * @returns undefined when there are none
   */
  private common(of: readonly string[], asked: readonly string[]): readonly string[] | undefined {
    const { audiences } = this.deps;
    const wanted = asked.length === 0 ? audiences : asked;
    const tokens = of.length === 0 ? audiences : of;
    const common = wanted.filter((each) => tokens.includes(each));
    return common.length > 0 || wanted.length === 0 ? common : undefined;
  }

  private userOf({ namespace, account, pod, node, id }: BoundClaims): UserInfo {
    const { userExtraKeys: keys } = this.deps.vocabulary;
    const says = compareReleases(this.deps.release, CREDENTIALS_SINCE) >= 0;
    const extra: Record<string, readonly string[]> = {
      ...(pod && { [keys.authenticationPodName]: [pod.name], [keys.authenticationPodUid]: [pod.uid] }),
      ...(says && node && { [keys.authenticationNodeName]: [node.name] }),
      ...(says && node && node.uid !== "" && { [keys.authenticationNodeUid]: [node.uid] }),
      ...(says && id !== undefined && { [keys.authenticationCredentialId]: [credentialId(id)] }),
    };
    const user = { ...accountUser(namespace, account.name), uid: account.uid };
    return Object.keys(extra).length === 0 ? user : { ...user, extra };
  }

  private noteSecretUse({ namespace, account, secretName }: SecretClaims): CredentialUse {
    const { used, secretUsed, objects, vocabulary } = this.deps;
    const { auditAnnotations: keys } = vocabulary;
    used("legacy");
    const said = { [keys.authenticationLegacyToken]: serviceAccountUserName(namespace, account.name) };
    const secret = secretUsed && objects.tokenSecret(namespace, secretName);
    if (secret === undefined) return { annotations: said };
    const { uid, lastUsed } = secret;
    secretUsed?.({ namespace, name: secretName, uid, lastUsed });
    if (!objects.refersTo({ namespace, name: account.name }, secretName)) {
      used("manual");
      return { annotations: { ...said, [keys.authenticationLegacyTokenManualSecret]: secretName } };
    }
    used("automatic");
    return {
      annotations: { ...said, [keys.authenticationLegacyTokenAutogeneratedSecret]: secretName },
      warning: AUTOMATIC_WARNING,
    };
  }

  /** Records the refusal of a token whose Secret still holds it but marks it as invalid. */
  private noteInvalidUse(
    outcome: AuthenticationOutcome,
    { namespace, secretName: name }: SecretClaims,
    digest: Buffer,
  ): AuthenticationOutcome {
    if (outcome.kind !== "failed" || !this.deps.lookup) return outcome;
    const secret = this.deps.objects.tokenSecret(namespace, name);
    if (secret === undefined || secret.invalidSince === "" || !isKeptIn(secret, digest)) return outcome;
    const { used, secretUsed, vocabulary } = this.deps;
    used("invalid");
    secretUsed?.({ namespace, name, uid: secret.uid, lastUsed: secret.lastUsed });
    const key = vocabulary.auditAnnotations.authenticationLegacyTokenInvalidated;
    return { ...outcome, annotations: { [key]: `${name}/${namespace}` } };
  }

  private noteUse(claims: BoundClaims, isStale: boolean): CredentialUse | undefined {
    this.deps.used(isStale ? "stale" : "valid");
    if (!isStale) return undefined;
    const { namespace, account, warnAfter = 0 } = claims;
    const subject = serviceAccountUserName(namespace, account.name);
    const seconds = Math.floor(this.deps.nowMs() / 1000) - warnAfter;
    const key = this.deps.vocabulary.auditAnnotations.authenticationStaleToken;
    return { annotations: { [key]: `subject: ${subject}, seconds after warning threshold: ${seconds}` } };
  }

  /** Returns the standing of an outcome that depends only on the keys. */
  private whileKeys(): TokenCacheLifetime {
    const { keys } = this.deps;
    const { version } = keys;
    return { holds: () => keys.version === version };
  }
}

const GONE = { tokenDigest: Buffer.alloc(0), deletedAtMs: undefined, invalidSince: "" };
const AUTOMATIC_WARNING =
  "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.";

const isKeptIn = (
  { tokenDigest, deletedAtMs }: Pick<TokenSecret, "tokenDigest" | "deletedAtMs">,
  digest: Buffer,
): boolean => tokenDigest.length === digest.length && timingSafeEqual(tokenDigest, digest) && deletedAtMs === undefined;

const accountUser = (namespace: string, name: string) => ({
  name: serviceAccountUserName(namespace, name),
  groups: serviceAccountGroups(namespace),
});

const wrongAudience = (of: readonly string[]): Refused =>
  failed(`service account token has the audiences ${JSON.stringify(of.slice(0, 5))}, which do not match`);
