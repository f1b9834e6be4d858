// Who the client is, as every request and every handshake asks anew.
import type { Clock } from "../time/clock";
import type { ConnectionSettings, TextSource } from "./connection-settings";
import { ExecCredentials } from "./exec-credentials";
import { readTextSource } from "./text-source";
import { TokenFile } from "./token-file";

/** PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface Credentials {
  /** The certificate may change with any request, and asking for it costs little. */
  readonly changesAtAnyTime?: boolean;
  /** The bearer token for the next request. @throws Error where it cannot be had */
  token(): Promise<string | undefined>;
  /** The certificate for the next handshake. @throws Error where it cannot be had */
  keyPair(): Promise<KeyPair | undefined>;
  /** The server answered 401: whatever is cached is worth nothing. @param token what the refused request carried */
  rejected(token: string | undefined): void;
}

export interface CredentialDeps {
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export const ANONYMOUS: Credentials = {
  token: async () => undefined,
  keyPair: async () => undefined,
  rejected: () => {},
};

/** The first way that the settings name, in the order of the interface: token, certificate, and only without them a command. */
export function credentialsOf(settings: ConnectionSettings, deps: CredentialDeps): Credentials {
  const { certificate, token, tokenFile, exec } = settings.credentials;
  if (tokenFile !== undefined) return withCertificate(new TokenFile(tokenFile, token, deps.clock), certificate);
  if (token === undefined && certificate === undefined && exec !== undefined) {
    return new ExecCredentials(exec, settings, deps);
  }
  return withCertificate({ token: async () => token, rejected: () => {} }, certificate);
}

type TokenPart = Pick<Credentials, "token" | "rejected">;

function withCertificate(
  tokens: TokenPart,
  pair: { readonly certificate: TextSource; readonly key: TextSource } | undefined,
): Credentials {
  return {
    token: () => tokens.token(),
    rejected: (token) => tokens.rejected(token),
    keyPair: async () =>
      pair === undefined
        ? undefined
        : { certificate: await readTextSource(pair.certificate), key: await readTextSource(pair.key) },
  };
}
