// Signatures of the cluster-info map: a detached JWS for each token, whose payload is the client configuration in the
// map.
// Source: Kubernetes documentation, "Authenticating with Bootstrap Tokens", "ConfigMap Signing"; RFC 7515, appendix F.
import { createHmac } from "node:crypto";
import type { VocabularyName } from "@orch/schema";
import type { JoiningToken } from "./joining-token";

type Token = Pick<JoiningToken, "id" | "secret">;

/** Key with which clients of each vocabulary verify a signature. */
const SHARED_SECRET: Readonly<Record<VocabularyName, (token: Token) => string>> = {
  orch: ({ id, secret }) => `${id}.${secret}`,
  kubernetes: ({ secret }) => secret,
};

/** @param text client configuration in the map */
export function signerOf(text: string, vocabulary: VocabularyName): (token: Token) => string {
  const payload = Buffer.from(text).toString("base64url");
  return (token) => {
    const header = Buffer.from(`{"alg":"HS256","kid":"${token.id}"}`).toString("base64url");
    const hmac = createHmac("sha256", SHARED_SECRET[vocabulary](token)).update(`${header}.`).update(payload);
    return `${header}..${hmac.digest("base64url")}`;
  };
}

const KEY_PREFIX = "jws-kubeconfig-";

type Data = Readonly<Record<string, string>>;

/**
 * Returns the map's data with exactly these signatures.
 * @param signatures by token id
 * @returns undefined when the data has exactly these signatures
 */
export function withSignatures(data: Data, signatures: ReadonlyMap<string, string>): Data | undefined {
  const wanted = [...signatures].map(([id, signature]) => [`${KEY_PREFIX}${id}`, signature] as const);
  const others = Object.entries(data).filter(([key]) => !key.startsWith(KEY_PREFIX));
  const isSigned =
    wanted.length === Object.keys(data).length - others.length &&
    wanted.every(([key, signature]) => data[key] === signature);
  return isSigned ? undefined : Object.fromEntries([...others, ...wanted]);
}
