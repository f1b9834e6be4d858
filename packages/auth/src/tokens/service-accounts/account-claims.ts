// What tokens of service accounts say. Source: facts, vocabulary.json "jwtClaims"; controllers.md "serviceaccount-token".
import { isObject, type JsonObject, type JsonValue, type Vocabulary } from "@orch/schema";
import { serviceAccountUserName } from "../../well-known-identities";

export interface ObjectReference {
  readonly name: string;
  readonly uid: string;
}

/** Of a token that ends, and ends with what it is bound to. Times in seconds since 1970. */
export interface BoundClaims {
  readonly namespace: string;
  readonly account: ObjectReference;
  readonly pod?: ObjectReference;
  readonly secret?: ObjectReference;
  /** That of the pod, or what it is bound to itself. */
  readonly node?: ObjectReference;
  readonly audiences: readonly string[];
  readonly notBefore: number;
  readonly issuedAt: number;
  readonly expires: number;
  /** From when on its use is told: it has been given a longer life than was asked. */
  readonly warnAfter?: number;
  readonly id?: string;
}

/** Of a token that is kept in a Secret. */
export interface SecretClaims {
  readonly namespace: string;
  readonly account: ObjectReference;
  readonly secretName: string;
}

export function boundClaimsJson(claims: BoundClaims, issuer: string, { jwtClaims }: Vocabulary): JsonObject {
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

/** @returns undefined where a claim is missing or of another form */
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

/** Seconds since 1970. @returns undefined where one is no number */
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

/** @returns undefined where one is named in a form that cannot be checked */
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

/** @param mayLackUid the node that a pod was on was gone when the token was made */
function referenceIn(value: JsonValue | undefined, mayLackUid = false): ObjectReference | undefined {
  if (!isObject(value)) return undefined;
  const { name, uid = mayLackUid ? "" : undefined } = value;
  return typeof name === "string" && typeof uid === "string" && name !== "" ? { name, uid } : undefined;
}

/** One text, or a list of them. */
function audiencesIn(value: JsonValue | undefined): readonly string[] | undefined {
  if (value === undefined) return [];
  if (typeof value === "string") return [value];
  return Array.isArray(value) && value.every((each) => typeof each === "string") ? (value as string[]) : undefined;
}
