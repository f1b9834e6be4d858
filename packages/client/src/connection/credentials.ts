// Selection of the credentials, which every request and every handshake reads again.
import { type ConnectionSettings, type PasswordSettings, readTextSource, type TextSource } from "./connection-settings";
import type { CredentialDeps, Credentials } from "./credential-parts";
import { sharedExecCredentials } from "./exec-credentials";
import { TokenFile } from "./token-file";

export const ANONYMOUS: Credentials = {
  token: () => undefined,
  keyPair: async () => undefined,
  rejected: () => {},
};

/**
 * Returns the credentials of the settings. The precedence is: token file, token, password, provider of ID tokens; a
 * certificate may accompany each of them, and a command is used only without all of these.
 */
export function credentialsOf(settings: ConnectionSettings, deps: CredentialDeps): Credentials {
  const { certificate, token, tokenFile, exec, oidc, password } = settings.credentials;
  if (tokenFile !== undefined) return withCertificate(new TokenFile(tokenFile, token, deps.clock), certificate);
  if (token !== undefined) return withCertificate({ token: () => token, rejected: () => {} }, certificate);
  if (password !== undefined)
    return { ...withCertificate(ANONYMOUS, certificate), basic: basicAuthorization(password) };
  if (oidc !== undefined) {
    const { sharedOidcCredentials } = require("./oidc-credentials") as typeof import("./oidc-credentials");
    return withCertificate(sharedOidcCredentials(settings.server, oidc, deps), certificate);
  }
  if (certificate === undefined && exec !== undefined) return sharedExecCredentials(exec, settings, deps);
  return withCertificate(ANONYMOUS, certificate);
}

/** Returns the value of the header Authorization. Source: RFC 7617. */
export const basicAuthorization = ({ user, password }: PasswordSettings): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

/** Returns the value of the header Authorization; undefined: it is not sent. @param token the token of the credentials */
export const authorizationOf = (
  { basic }: Pick<Credentials, "basic">,
  token: string | undefined,
): string | undefined => (token === undefined ? basic : `Bearer ${token}`);

/** Returns the credentials for requests. @param onRefused called after a 401 response to a request without a token */
export function noticingRefusals(credentials: Credentials, onRefused: () => void): Credentials {
  const { basic } = credentials;
  return {
    ...(basic !== undefined && { basic }),
    token: () => credentials.token(),
    keyPair: () => credentials.keyPair(),
    rejected(token) {
      credentials.rejected(token);
      if (token === undefined) onRefused();
    },
  };
}

type TokenPart = Pick<Credentials, "token" | "rejected">;

function withCertificate(
  tokens: TokenPart,
  pair: { readonly certificate: TextSource; readonly key: TextSource } | undefined,
): Credentials {
  return {
    token: () => tokens.token(),
    rejected: (token) => tokens.rejected(token),
    isInFiles: pair?.certificate.kind === "file" || pair?.key.kind === "file",
    keyPair: async () =>
      pair === undefined
        ? undefined
        : { certificate: await readTextSource(pair.certificate), key: await readTextSource(pair.key) },
  };
}
