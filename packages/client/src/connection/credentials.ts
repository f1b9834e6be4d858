// Selection of the credentials, which every request and every handshake reads again.
import { type ConnectionSettings, readTextSource, type TextSource } from "./connection-settings";
import type { CredentialDeps, Credentials } from "./credential-parts";
import { ExecCredentials } from "./exec-credentials";
import { TokenFile } from "./token-file";

export const ANONYMOUS: Credentials = {
  token: () => undefined,
  keyPair: async () => undefined,
  rejected: () => {},
};

/**
 * Returns the credentials of the settings. The precedence is: token file, token, certificate; a command is used only
 * without these.
 */
export function credentialsOf(settings: ConnectionSettings, deps: CredentialDeps): Credentials {
  const { certificate, token, tokenFile, exec } = settings.credentials;
  if (tokenFile !== undefined) return withCertificate(new TokenFile(tokenFile, token, deps.clock), certificate);
  if (token === undefined && certificate === undefined && exec !== undefined) {
    return new ExecCredentials(exec, settings, deps);
  }
  return withCertificate({ token: () => token, rejected: () => {} }, certificate);
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
