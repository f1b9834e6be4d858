// The methods of authentication that the options switch on, in the order in which they are asked.
import {
  type Authenticator,
  anonymous,
  bearerTokenAuthenticator,
  ClientCertificateAuthenticator,
  type LocalToken,
  localTokenAuthenticator,
  parseTokenFile,
  type TokenAuthenticator,
  TokenFileAuthenticator,
  unionOf,
} from "@orch/auth";
import { readOptionFile } from "@orch/platform";
import type { ServerConfig } from "../flags/server-flags";
import type { Logger } from "../logging/logger";
import type { ServerMetrics } from "../metrics/server-metrics";

export interface AuthenticationMethods {
  readonly authenticator: Authenticator;
  /** Bearer tokens alone; undefined where none is ever accepted. */
  readonly tokens: Authenticator | undefined;
  /** From now on these authorities' clients are taken. @throws Error when they cannot be read */
  replaceClientCa(pem: string): void;
}

/** @throws Error for a file that cannot be read */
export function authenticationMethods(of: {
  readonly config: ServerConfig;
  readonly clientCa: string;
  readonly anonymousAllowed: boolean;
  readonly localToken: LocalToken | undefined;
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
}): AuthenticationMethods {
  const validity = of.metrics.histogram("apiserver_client_certificate_expiration_seconds").labels({});
  const used = (validForMs: number) => validity.observe(validForMs / 1000);
  const certificates =
    of.clientCa === "" ? undefined : new ClientCertificateAuthenticator({ caPem: of.clientCa, used });
  const tokens: TokenAuthenticator[] = [];
  const tokenFile = of.config["token-auth-file"];
  if (tokenFile !== "") {
    const parsed = parseTokenFile(readOptionFile("token-auth-file", tokenFile));
    for (const warning of parsed.warnings) of.logger.warn(`--token-auth-file: ${warning}`);
    tokens.push(new TokenFileAuthenticator(parsed));
  }
  const bearer = bearerTokenAuthenticator(tokens);
  const methods = [
    ...(certificates === undefined ? [] : [certificates]),
    bearer,
    ...(of.localToken === undefined ? [] : [localTokenAuthenticator(of.localToken)]),
  ];
  return {
    authenticator: unionOf(methods, of.anonymousAllowed ? anonymous : undefined),
    tokens: tokens.length === 0 ? undefined : unionOf([bearer]),
    replaceClientCa: (pem) => certificates?.replaceCa(pem),
  };
}
