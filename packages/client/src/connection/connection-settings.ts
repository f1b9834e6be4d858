// Connection settings: the server address, TLS and credentials, as read from a client configuration, from the files of
// a service account or set by a test.
import { readFile } from "node:fs/promises";

/** An inline text, or a file that is read again when it changes. */
export type TextSource =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "file"; readonly path: string };

export interface ConnectionSettings {
  /** URL such as `https://api.example.com:6443`. Its path is a prefix of every request path. */
  readonly server: string;
  readonly tls: TlsSettings;
  readonly credentials: CredentialSettings;
  readonly impersonation?: Impersonation;
  /** Proxy to the server. Absent: connections are direct. */
  readonly proxy?: ProxyChoice;
  /** Passed to credential plugins. Clients of this library never ask for compressed responses. */
  readonly disableCompression?: boolean;
  /** Namespace of requests that name none. */
  readonly namespace: string;
}

/** `environment`: the variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY decide. */
export type ProxyChoice =
  /** URL with the scheme `http`, `https` or `socks5`, and perhaps with a user name and a password. */
  { readonly kind: "url"; readonly url: string } | { readonly kind: "environment" };

export interface TlsSettings {
  /** PEM of the trusted certificate authorities; undefined: those of Node.js. */
  readonly ca?: TextSource;
  /** Disables the verification of the serving certificate. For experiments only. */
  readonly insecureSkipVerify?: boolean;
  /** Server name for SNI and verification, instead of the host. */
  readonly serverName?: string;
}

/**
 * Credentials. At most one of token, token file and command takes effect; a certificate may accompany a token. Empty:
 * anonymous.
 */
export interface CredentialSettings {
  /** PEM; may contain intermediate certificates. */
  readonly certificate?: { readonly certificate: TextSource; readonly key: TextSource };
  readonly token?: string;
  /** Takes precedence over `token` when it can be read. */
  readonly tokenFile?: string;
  readonly exec?: ExecSettings;
  readonly oidc?: OidcSettings;
  /** Sent without a token, by basic authentication. Only some servers accept it. */
  readonly password?: PasswordSettings;
}

export interface PasswordSettings {
  readonly user: string;
  readonly password: string;
}

/** Keys of the configuration of the authentication provider `oidc`, by their names in the file. */
export type OidcConfig = Readonly<Record<string, string>>;

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly config: OidcConfig;
  /** PEM of the issuer's certificate authority; undefined: those of the system. */
  readonly ca?: TextSource;
  /** The file that holds the user. */
  readonly store: OidcStore;
}

export interface OidcStore {
  /** Names the user, and the file that holds it. */
  readonly id: string;
  /** Returns the keys as they are now; undefined when the user is no longer there. @throws Error when unreadable */
  read(): OidcConfig | undefined;
  /** Writes keys to the file. @throws Error when it fails */
  write(changes: OidcConfig): Promise<void>;
}

/** Credentials and impersonation of a client. */
export interface Identity {
  readonly credentials: CredentialSettings;
  /** Basic authentication, used without a token. API servers do not accept it. */
  readonly password?: PasswordSettings;
  readonly impersonation?: Impersonation;
}

export interface ExecSettings {
  /** Name of the user in the configuration, for messages. */
  readonly userName: string;
  /** Looked up in PATH when it contains no path separator. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  /** `<group>/v1` or `<group>/v1beta1`; the output of the command must have the same version. */
  readonly apiVersion: string;
  readonly installHint?: string;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
  /** Passed to the command unchanged, with the cluster's data. */
  readonly clusterConfig?: unknown;
}

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Returns the impersonation headers. Source: Kubernetes documentation, "Authenticating", "User impersonation". */
export function impersonationHeaders(as: Impersonation): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { "impersonate-user": as.user };
  if (as.uid !== undefined) headers["impersonate-uid"] = as.uid;
  if (as.groups !== undefined && as.groups.length > 0) headers["impersonate-group"] = [...as.groups];
  for (const [key, values] of Object.entries(as.extra ?? {})) {
    headers[`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`] = [...values];
  }
  return headers;
}

/** An invalid client configuration: the message names the file, the field or the name. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** Reads a text source. @throws Error of the file system, with the path of the file */
export async function readTextSource(source: TextSource): Promise<string> {
  if (source.kind === "text") return source.text;
  const { path } = source;
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    // The error of a folder does not name it.
    throw error instanceof Error ? Object.assign(error, { path }) : error;
  }
}
