// Signatures of the map of discovery: a JWS for each token, without its payload, which is the map's own text.
// Source: access-control, "Bootstrap signing"; facts, controllers.md "bootstrapsigner"; decisions, "signature of the discovery map".
import { createHmac } from "node:crypto";
import type { VocabularyName } from "@orch/schema";
import type { JoiningToken } from "./joining-token";

type Token = Pick<JoiningToken, "id" | "secret">;

/** With what clients of each vocabulary check it. */
const SHARED_SECRET: Readonly<Record<VocabularyName, (token: Token) => string>> = {
  orch: ({ id, secret }) => `${id}.${secret}`,
  kubernetes: ({ secret }) => secret,
};

/** @param text of the map's client configuration */
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
 * The map's data with these signatures and no others.
 * @param signatures by id of the token
 * @returns undefined where it has them already
 */
export function withSignatures(data: Data, signatures: ReadonlyMap<string, string>): Data | undefined {
  const wanted = [...signatures].map(([id, signature]) => [`${KEY_PREFIX}${id}`, signature] as const);
  const others = Object.entries(data).filter(([key]) => !key.startsWith(KEY_PREFIX));
  const isSigned =
    wanted.length === Object.keys(data).length - others.length &&
    wanted.every(([key, signature]) => data[key] === signature);
  return isSigned ? undefined : Object.fromEntries([...others, ...wanted]);
}
