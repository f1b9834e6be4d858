// OpenID Connect discovery of the service account issuer: its configuration and its public keys, for verifiers that do
// not call this server. Source: OpenID Connect Discovery 1.0; KEP-1393 (Service Account Issuer Discovery).
import { publishedKey, type VerificationKey } from "@orch/auth";
import { answerBytes, JSON_TYPE } from "@orch/http-server";
import type { PathHandler } from "./dispatch";

export interface IssuerDiscovery {
  readonly issuer: string;
  /** Address of the keys. A function, because it may change. */
  readonly keysUri: () => string;
  readonly keys: () => readonly VerificationKey[];
}

export const ISSUER_PATHS = { document: "/.well-known/openid-configuration", keys: "/openid/v1/jwks" } as const;

const KEY_SET_TYPE = "application/jwk-set+json";
/** Verifiers fetch the keys again when they meet an unknown key. */
const CACHED = "public, max-age=3600";

/** Verifiers can only look up an issuer that is an https URL. */
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
