// Claims of service account tokens, and the issuer of bound tokens. Source: pkg/serviceaccount/claims.go and
// pkg/serviceaccount/legacy.go.
import { isObject, type JsonObject, type JsonValue, type Vocabulary } from "@orch/schema";
import { serviceAccountUserName } from "../../identity/well-known-identities";

export interface ObjectReference {
  readonly name: string;
  readonly uid: string;
}

/**
 * Claims of a bound token, which expires and becomes invalid with the object it is bound to. Times in seconds since
 * 1970.
 */
export interface BoundClaims {
  readonly namespace: string;
  readonly account: ObjectReference;
  readonly pod?: ObjectReference;
  readonly secret?: ObjectReference;
  /** The node of the bound pod, or the node that the token is bound to. */
  readonly node?: ObjectReference;
  readonly audiences: readonly string[];
  readonly notBefore: number;
  readonly issuedAt: number;
  readonly expires: number;
  /** Time from which on the use of the token is reported: its lifetime was extended beyond the requested one. */
  readonly warnAfter?: number;
  readonly id?: string;
}

/** Claims of a token that is kept in a Secret. */
export interface SecretClaims {
  readonly namespace: string;
  readonly account: ObjectReference;
  readonly secretName: string;
}

function boundClaimsJson(claims: BoundClaims, issuer: string, { jwtClaims }: Vocabulary): JsonObject {
  const { namespace, account, pod, secret, node, audiences, warnAfter, id } = claims;
  return {
    aud: [...audiences],
    exp: claims.expires,
    iat: claims.issuedAt,
    iss: issuer,
    ...(id === undefined ? {} : { jti: id }),
    [jwtClaims.product]: {
      namespace,
      ...(node && { node: { ...node } }),
      ...(pod && { pod: { ...pod } }),
      ...(secret && { secret: { ...secret } }),
      serviceaccount: { ...account },
      ...(warnAfter === undefined ? {} : { warnafter: warnAfter }),
    },
    nbf: claims.notBefore,
    sub: serviceAccountUserName(namespace, account.name),
  };
}

/** Issues bound tokens. Source: Kubernetes API reference, "TokenRequest". */
export interface AccountTokenIssuer {
  /** Audiences of tokens for which the request names none. */
  readonly audiences: readonly string[];
  /** Issues a token. Rejects when no token can be issued now. */
  issue(claims: BoundClaims): Promise<string>;
}

export interface AccountTokenIssuerDeps {
  readonly vocabulary: Vocabulary;
  /** Returns the signed token. */
  readonly sign: (claims: object) => Promise<string>;
  readonly issuer: string;
  readonly audiences: readonly string[];
}

export function accountTokenIssuer({
  vocabulary,
  sign,
  issuer,
  audiences,
}: AccountTokenIssuerDeps): AccountTokenIssuer {
  return { audiences, issue: (claims) => sign(boundClaimsJson(claims, issuer, vocabulary)) };
}

export function secretClaimsJson(
  { namespace, account, secretName }: SecretClaims,
  { jwtClaims }: Vocabulary,
): JsonObject {
  return {
    iss: jwtClaims.orchServiceaccount,
    [jwtClaims.serviceaccountNamespace]: namespace,
    [jwtClaims.serviceaccountSecretName]: secretName,
    [jwtClaims.serviceaccountServiceAccountName]: account.name,
    [jwtClaims.serviceaccountServiceAccountUid]: account.uid,
    sub: serviceAccountUserName(namespace, account.name),
  };
}

/**
 * Reads the claims of a bound token.
 * @returns undefined when a claim is missing or malformed
 */
export function readBoundClaims(claims: JsonObject, { jwtClaims }: Vocabulary): BoundClaims | undefined {
  const own = claims[jwtClaims.product];
  if (!isObject(own)) return undefined;
  const { namespace, serviceaccount, warnafter } = own;
  const account = referenceIn(serviceaccount);
  const audiences = audiencesIn(claims["aud"]);
  const times = timesIn(claims);
  const bound = boundIn(own);
  if (typeof namespace !== "string" || account === undefined || audiences === undefined) return undefined;
  if (times === undefined || times.expires === undefined || bound === undefined) return undefined;
  const { expires, notBefore = 0, issuedAt = 0 } = times;
  const { jti } = claims;
  return {
    ...{ namespace, account, audiences, expires, notBefore, issuedAt },
    ...bound,
    ...(typeof warnafter === "number" && warnafter !== 0 ? { warnAfter: warnafter } : {}),
    ...(typeof jti === "string" && jti !== "" ? { id: jti } : {}),
  };
}

export interface TokenTimes {
  readonly expires: number | undefined;
  readonly notBefore: number | undefined;
  readonly issuedAt: number | undefined;
}

/**
 * Reads the times, in seconds since 1970.
 * @returns undefined when one is not a number
 */
export function timesIn({ exp, nbf, iat }: JsonObject): TokenTimes | undefined {
  if (![exp, nbf, iat].every((time) => time === undefined || typeof time === "number")) return undefined;
  return { expires: exp as number, notBefore: nbf as number, issuedAt: iat as number };
}

export function readSecretClaims(claims: JsonObject, { jwtClaims }: Vocabulary): SecretClaims | undefined {
  const texts = [
    claims[jwtClaims.serviceaccountNamespace],
    claims[jwtClaims.serviceaccountServiceAccountName],
    claims[jwtClaims.serviceaccountServiceAccountUid],
    claims[jwtClaims.serviceaccountSecretName],
  ];
  if (!texts.every((text) => typeof text === "string" && text !== "")) return undefined;
  const [namespace, name, uid, secretName] = texts as [string, string, string, string];
  return { namespace, account: { name, uid }, secretName };
}

type Bound = Pick<BoundClaims, "pod" | "secret" | "node">;

/**
 * Reads the bound objects.
 * @returns undefined when a reference is malformed
 */
function boundIn(own: JsonObject): Bound | undefined {
  const bound: Record<string, ObjectReference> = {};
  for (const kind of ["pod", "secret", "node"] as const) {
    if (own[kind] === undefined || own[kind] === null) continue;
    const reference = referenceIn(own[kind], kind === "node" && own["pod"] !== undefined);
    if (reference === undefined) return undefined;
    bound[kind] = reference;
  }
  return bound;
}

/**
 * @param mayLackUid whether the UID may be absent: the node of a pod may have been deleted before the token was issued
 */
function referenceIn(value: JsonValue | undefined, mayLackUid = false): ObjectReference | undefined {
  if (!isObject(value)) return undefined;
  const { name, uid = mayLackUid ? "" : undefined } = value;
  return typeof name === "string" && typeof uid === "string" && name !== "" ? { name, uid } : undefined;
}

/** Reads the audiences: one text, or a list of texts. */
function audiencesIn(value: JsonValue | undefined): readonly string[] | undefined {
  if (value === undefined) return [];
  if (typeof value === "string") return [value];
  return Array.isArray(value) && value.every((each) => typeof each === "string") ? (value as string[]) : undefined;
}
