// Where an API server is and what to show it: what a client configuration, a service account's files or a test comes down to.

/** A text given in place, or a file that is read again when it changes. */
export type TextSource =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "file"; readonly path: string };

export interface ConnectionSettings {
  /** Such as `https://api.example.com:6443`; a path is put before every request's path. */
  readonly server: string;
  readonly tls: TlsSettings;
  readonly credentials: CredentialSettings;
  readonly impersonation?: Impersonation;
  /** Where requests go that name no namespace. */
  readonly namespace: string;
}

export interface TlsSettings {
  /** PEM of the authorities to trust; undefined: those of the run time. */
  readonly ca?: TextSource;
  /** Any certificate will do: for experiments alone. */
  readonly insecureSkipVerify?: boolean;
  /** The name to ask for and to find in the certificate, in place of the server's host. */
  readonly serverName?: string;
}

/** At most one way of saying who one is, and a certificate beside it. Empty: anonymous. */
export interface CredentialSettings {
  /** PEM; may hold intermediate certificates. */
  readonly certificate?: { readonly certificate: TextSource; readonly key: TextSource };
  readonly token?: string;
  /** Wins over `token` whenever it can be read. */
  readonly tokenFile?: string;
  readonly exec?: ExecSettings;
}

/** What somebody shows of himself to a server. */
export interface Identity {
  readonly credentials: CredentialSettings;
  /** Shown where there is no token. API servers take none. */
  readonly password?: { readonly user: string; readonly password: string };
  readonly impersonation?: Impersonation;
}

export interface ExecSettings {
  /** The configuration's name for the user, for messages. */
  readonly userName: string;
  /** Looked up in PATH where it holds no path separator. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  /** `<group>/v1` or `<group>/v1beta1`; the command's answer must say the same. */
  readonly apiVersion: string;
  readonly installHint?: string;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
  /** Handed to the command as it is, with the cluster's data. */
  readonly clusterConfig?: unknown;
}

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The headers that ask to be treated as somebody else. Source: access-control, "Impersonation". */
export function impersonationHeaders(as: Impersonation): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { "impersonate-user": as.user };
  if (as.uid !== undefined) headers["impersonate-uid"] = as.uid;
  if (as.groups !== undefined && as.groups.length > 0) headers["impersonate-group"] = [...as.groups];
  for (const [key, values] of Object.entries(as.extra ?? {})) {
    headers[`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`] = [...values];
  }
  return headers;
}
