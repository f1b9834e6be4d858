// Who issues service account tokens, and the keys that verify them, for those who take such tokens without asking this server.
// Source: OpenID Connect Discovery 1.0; facts, rbac-bootstrap.json "system:service-account-issuer-discovery".
import { publishedKey, type VerificationKey } from "@orch/auth";
import { answerBytes, JSON_TYPE } from "../http/answer";
import type { PathHandler } from "./dispatch";

export interface IssuerDiscovery {
  readonly issuer: string;
  /** Where the keys are; looked at when asked. */
  readonly keysUri: () => string;
  readonly keys: () => readonly VerificationKey[];
}

export const ISSUER_PATHS = { document: "/.well-known/openid-configuration", keys: "/openid/v1/jwks" } as const;

const KEY_SET_TYPE = "application/jwk-set+json";
/** Those who verify look again by themselves where a key is unknown to them. */
const CACHED = "public, max-age=3600";

/** Only an issuer that is an https URL can be looked up by those who read it in a token. */
export const isDiscoverable = (issuer: string): boolean => issuer.startsWith("https://");

export function issuerDocument({ issuer, keysUri, keys }: IssuerDiscovery): PathHandler {
  return (_request, response) => {
    const document = {
      issuer,
      jwks_uri: keysUri(),
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: [...new Set(keys().map(({ algorithm }) => algorithm))].sort(),
    };
    answerBytes(response, 200, JSON_TYPE, Buffer.from(JSON.stringify(document)), CACHED);
  };
}

export function keySet({ keys }: IssuerDiscovery): PathHandler {
  return (_request, response) => {
    const set = { keys: keys().map(publishedKey) };
    answerBytes(response, 200, KEY_SET_TYPE, Buffer.from(JSON.stringify(set)), CACHED);
  };
}
