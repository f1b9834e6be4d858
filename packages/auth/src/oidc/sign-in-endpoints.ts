// Endpoints at which a page signs its user in, from the issuer's discovery document. Source: OpenID Connect
// Discovery 1.0, section 3.
import type { JsonObject } from "@orch/schema";

export interface SignInEndpoints {
  readonly authorization: string;
  readonly token: string;
  /** Whether the issuer says that it grants refresh tokens to who asks for the scope `offline_access`. */
  readonly offersRefresh: boolean;
}

const ADDRESS_MAX = 2048;
/** Origins that a directive of a content security policy can contain: URLs allow semicolons and commas in hosts. */
const ORIGIN = /^https:\/\/[a-z0-9.\-_[\]:]+$/;

/** Returns undefined when the document lacks an endpoint, or when one is not an https address. */
export function signInEndpoints(document: JsonObject): SignInEndpoints | undefined {
  const { authorization_endpoint: authorization, token_endpoint: token, scopes_supported: scopes } = document;
  if (!isEndpoint(authorization) || !isEndpoint(token)) return undefined;
  return { authorization, token, offersRefresh: Array.isArray(scopes) && scopes.includes("offline_access") };
}

const isEndpoint = (value: unknown): value is string => typeof value === "string" && originOf(value) !== undefined;

/** Returns the origin of an https address for a content security policy; undefined for other addresses. */
export function originOf(address: string): string | undefined {
  if (address.length > ADDRESS_MAX || !URL.canParse(address)) return undefined;
  const { origin, username, password } = new URL(address);
  return ORIGIN.test(origin) && username === "" && password === "" ? origin : undefined;
}
