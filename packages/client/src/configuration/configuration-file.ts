// The form of a client configuration file, with the file's own field names, so that what is read can be written again.
// Source: facts, flags.json "files.kubeconfig".

export interface ClusterEntry {
  readonly server?: string;
  readonly "certificate-authority"?: string;
  /** base64 PEM; wins over the file. */
  readonly "certificate-authority-data"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  readonly "tls-server-name"?: string;
  readonly "proxy-url"?: string;
  readonly extensions?: readonly { readonly name?: string; readonly extension?: unknown }[];
}

export interface UserEntry {
  readonly "client-certificate"?: string;
  readonly "client-certificate-data"?: string;
  readonly "client-key"?: string;
  readonly "client-key-data"?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly as?: string;
  readonly "as-uid"?: string;
  readonly "as-groups"?: readonly string[];
  readonly "as-user-extra"?: Readonly<Record<string, readonly string[]>>;
  readonly "auth-provider"?: unknown;
  readonly exec?: ExecEntry;
}

export interface ExecEntry {
  readonly command?: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly apiVersion?: string;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  readonly interactiveMode?: string;
}

export interface ContextEntry {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** One file, or several merged. Entries by name; relative paths made absolute. */
export interface ClientConfiguration {
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
  /** "" where none is set. */
  readonly currentContext: string;
}

export const EMPTY_CONFIGURATION: ClientConfiguration = {
  clusters: new Map(),
  users: new Map(),
  contexts: new Map(),
  currentContext: "",
};
