// A request for tests with the parts that authentication methods read.

import type { X509Certificate } from "node:crypto";
import { NEVER_ENDS } from "@orch/platform";
import type { AuthenticationRequest } from "../authentication/authenticator";

export interface CredentialParts {
  /** The Authorization header. */
  readonly authorization?: string | undefined;
  readonly certificate?: X509Certificate | undefined;
  readonly audiences?: readonly string[];
  readonly isLocal?: boolean;
  /** Further headers: names and values alternating. */
  readonly rawHeaders?: readonly string[];
}

export function credentials({
  authorization,
  certificate,
  audiences = [],
  isLocal = false,
  rawHeaders = [],
}: CredentialParts): AuthenticationRequest {
  return {
    headers: authorization === undefined ? {} : { authorization },
    rawHeaders: [...(authorization === undefined ? [] : ["Authorization", authorization]), ...rawHeaders],
    path: "/",
    audiences,
    connection: { address: "127.0.0.1", peerCertificate: () => certificate },
    signal: NEVER_ENDS,
    isFromThisMachine: () => isLocal,
  };
}
