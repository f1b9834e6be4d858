// Format of a client configuration file (kubeconfig), with the field names of the file, so that it can be written
// again. Source: Kubernetes documentation, "Organizing Cluster Access Using kubeconfig Files".

export interface ClusterEntry {
  readonly server?: string;
  readonly "certificate-authority"?: string;
  /** PEM, base64 encoded; takes precedence over the file. */
  readonly "certificate-authority-data"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  readonly "tls-server-name"?: string;
  readonly "proxy-url"?: string;
  readonly "disable-compression"?: boolean;
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
  readonly "auth-provider"?: AuthProviderEntry;
  readonly exec?: ExecEntry;
}

export interface AuthProviderEntry {
  readonly name?: string;
  readonly config?: Readonly<Record<string, string>>;
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

/** Content of one file, or of several merged files. Entries by name; relative paths are resolved. */
export interface ClientConfiguration {
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
  /** "" when none is set. */
  readonly currentContext: string;
  /** Paths of the files that hold the users, by name. Absent: the configuration was read from no file. */
  readonly userFiles?: ReadonlyMap<string, string>;
}

export const EMPTY_CONFIGURATION: ClientConfiguration = {
  clusters: new Map(),
  users: new Map(),
  contexts: new Map(),
  currentContext: "",
};
