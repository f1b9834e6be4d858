// Settings of the authentication provider `oidc` of a user. Source: Kubernetes documentation, "Authenticating", "Using
// kubectl"; staging/src/k8s.io/client-go/plugin/pkg/client/auth/oidc/oidc.go.
import {
  ConfigurationError,
  type OidcConfig,
  type OidcSettings,
  type OidcStore,
  type TextSource,
} from "./connection-settings";

/** Reads the provider's configuration. @throws ConfigurationError naming the key */
export function oidcSettings(
  { name, config }: { readonly name?: unknown; readonly config?: unknown },
  of: { readonly user: string; readonly store: OidcStore; readonly pathOf: (path: string) => string },
): OidcSettings {
  const invalid = (why: string) => new ConfigurationError(`invalid configuration: user "${of.user}": ${why}`);
  if (name !== "oidc") {
    throw invalid(`auth-provider ${JSON.stringify(name)} is not supported: use "oidc", exec or a token`);
  }
  const keys = textsOf(config);
  const { "idp-issuer-url": issuer, "client-id": clientId } = keys;
  if (!issuer) throw invalid("auth-provider oidc: must provide idp-issuer-url");
  if (!clientId) throw invalid("auth-provider oidc: must provide client-id");
  if (!isSecure(issuer)) throw invalid("auth-provider oidc: idp-issuer-url must be a URL with https");
  const { "idp-certificate-authority-data": data, "idp-certificate-authority": path } = keys;
  const ca: TextSource | undefined = data
    ? { kind: "text", text: Buffer.from(data, "base64").toString("utf8") }
    : path
      ? { kind: "file", path: of.pathOf(path) }
      : undefined;
  if (ca?.kind === "text" && !ca.text.includes("-----BEGIN")) {
    throw invalid("auth-provider oidc: idp-certificate-authority-data is not PEM in base64");
  }
  return { issuer, clientId, config: keys, store: of.store, ...(ca === undefined ? {} : { ca }) };
}

/** Returns the members that are texts. */
export function textsOf(config: unknown): OidcConfig {
  return Object.fromEntries(
    Object.entries(config ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** Reports whether a refresh token may be sent to a URL: over TLS, or within the machine. */
export function isSecure(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && LOCAL.test(url.hostname));
}

const LOCAL = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
