// Resolves a context of a client configuration to a server and a user.
import { dirname, resolve } from "node:path";
import {
  ConfigurationError,
  type ConnectionSettings,
  type CredentialSettings,
  type ExecSettings,
  type Identity,
  type Impersonation,
  type ProxyChoice,
  type TextSource,
  type TlsSettings,
} from "../connection/connection-settings";
import { checkExecApiVersion } from "../connection/exec-command";
import { oidcSettings } from "../connection/oidc-settings";
import { proxyUrl } from "../connection/proxy-choice";
import type { ClientConfiguration, ClusterEntry, ExecEntry, UserEntry } from "./configuration-file";
import { oidcStore } from "./oidc-store";

/** Options that take precedence over the configuration. */
export interface ContextChoice {
  /** Default: the current context. */
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** Resolves a context. @throws ConfigurationError naming what is missing, contradictory or not supported */
export function resolveContext(configuration: ClientConfiguration, choice: ContextChoice = {}): ConnectionSettings {
  const name = choice.context ?? configuration.currentContext;
  const context = configuration.contexts.get(name);
  if (context === undefined && name !== "")
    throw new ConfigurationError(`context was not found for specified context: ${name}`);
  const clusterName = choice.cluster ?? context?.cluster ?? "";
  const userName = choice.user ?? context?.user ?? "";
  const cluster = configuration.clusters.get(clusterName);
  const user = configuration.users.get(userName);
  if (cluster === undefined) {
    throw new ConfigurationError(
      clusterName === ""
        ? "invalid configuration: no configuration has been provided"
        : `no server found for cluster "${clusterName}"`,
    );
  }
  if (user === undefined && userName !== "") throw new ConfigurationError(`auth info "${userName}" does not exist`);
  const impersonation = impersonationOf(user ?? {}, userName);
  return {
    server: serverOf(cluster, clusterName),
    tls: tlsOf(cluster, clusterName),
    credentials: {
      ...credentialsOf(user ?? {}, userName, cluster),
      ...oidcOf(user, userName, configuration.userFiles?.get(userName)),
      ...passwordOf(user),
    },
    proxy: proxyChoice(cluster, clusterName),
    ...(cluster["disable-compression"] === true ? { disableCompression: true } : {}),
    namespace: choice.namespace || context?.namespace || "default",
    ...(impersonation === undefined ? {} : { impersonation }),
  };
}

/**
 * Resolves the credentials of a user, for a server without a cluster entry.
 * @throws ConfigurationError naming what is missing, contradictory or not supported
 */
export function resolveUser(user: UserEntry, name: string): Identity {
  if (user["auth-provider"]) {
    throw new ConfigurationError(
      `invalid configuration: user "${name}": auth-provider is not supported here; use a token`,
    );
  }
  const { tokenFile, ...credentials } = credentialsOf(user, name, {});
  const impersonation = impersonationOf(user, name);
  return {
    credentials: { ...credentials, ...(tokenFile !== undefined && !credentials.token && { tokenFile }) },
    ...passwordOf(user),
    ...(impersonation === undefined ? {} : { impersonation }),
  };
}

function serverOf(cluster: ClusterEntry, name: string): string {
  const { server = "" } = cluster;
  if (server === "") throw new ConfigurationError(`invalid configuration: cluster "${name}" has no server`);
  const secure =
    cluster["certificate-authority"] || cluster["certificate-authority-data"] || cluster["insecure-skip-tls-verify"];
  const text = /^https?:\/\//.test(server) ? server : `${secure ? "https" : "http"}://${server}`;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new ConfigurationError(`invalid configuration: cluster "${name}": ${server} is not a URL`);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

function proxyChoice({ "proxy-url": url }: ClusterEntry, name: string): ProxyChoice {
  if (!url) return { kind: "environment" };
  try {
    proxyUrl(url);
  } catch (error) {
    throw new ConfigurationError(`invalid configuration: cluster "${name}": ${(error as Error).message}`);
  }
  return { kind: "url", url };
}

function tlsOf(cluster: ClusterEntry, name: string): TlsSettings {
  const ca = source(cluster["certificate-authority-data"], cluster["certificate-authority"], {
    of: `cluster "${name}"`,
    field: "certificate-authority-data",
  });
  const insecure = cluster["insecure-skip-tls-verify"] === true;
  if (insecure && ca !== undefined) {
    throw new ConfigurationError(
      `invalid configuration: cluster "${name}": a certificate authority and insecure-skip-tls-verify are mutually exclusive`,
    );
  }
  const serverName = cluster["tls-server-name"];
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(insecure ? { insecureSkipVerify: true } : {}),
    ...(serverName ? { serverName } : {}),
  };
}

function credentialsOf(user: UserEntry, name: string, cluster: ClusterEntry): CredentialSettings {
  const of = `user "${name}"`;
  if (user["auth-provider"] && user.exec) {
    throw new ConfigurationError(`invalid configuration: ${of}: auth-provider and exec are mutually exclusive`);
  }
  if ((user.token || user.tokenFile) && (user.username || user.password)) {
    throw new ConfigurationError(`invalid configuration: ${of}: a token and a password are mutually exclusive`);
  }
  const certificate = source(user["client-certificate-data"], user["client-certificate"], {
    of,
    field: "client-certificate-data",
  });
  const key = source(user["client-key-data"], user["client-key"], { of, field: "client-key-data" });
  if ((certificate === undefined) !== (key === undefined)) {
    throw new ConfigurationError(`invalid configuration: ${of}: a client certificate and its key must be set together`);
  }
  return {
    ...(certificate === undefined || key === undefined ? {} : { certificate: { certificate, key } }),
    ...(user.token ? { token: user.token } : {}),
    ...(user.tokenFile ? { tokenFile: user.tokenFile } : {}),
    ...(user.exec === undefined ? {} : { exec: execOf(user.exec, name, cluster) }),
  };
}

function passwordOf({ username = "", password = "" }: UserEntry = {}): Pick<CredentialSettings, "password"> {
  return username === "" && password === "" ? {} : { password: { user: username, password } };
}

/** @param file the file that holds the user */
function oidcOf(user: UserEntry | undefined, name: string, file: string | undefined): Pick<CredentialSettings, "oidc"> {
  const provider = user?.["auth-provider"];
  if (!provider) return {};
  const pathOf = (path: string) => (file === undefined ? path : resolve(dirname(file), path));
  return { oidc: oidcSettings(provider, { user: name, store: oidcStore(name, file), pathOf }) };
}

const INTERACTIVE_MODES = ["Never", "IfAvailable", "Always"] as const;

function execOf(exec: ExecEntry, userName: string, cluster: ClusterEntry): ExecSettings {
  const apiVersion = checkExecApiVersion(exec.apiVersion);
  if (!exec.command)
    throw new ConfigurationError(`command must be specified for ${userName} to use exec authentication plugin`);
  const asked = exec.interactiveMode || (apiVersion.endsWith("/v1") ? undefined : "IfAvailable");
  if (asked === undefined) {
    throw new ConfigurationError(`interactiveMode must be specified for ${userName} to use exec authentication plugin`);
  }
  const interactiveMode = INTERACTIVE_MODES.find((mode) => mode === asked);
  if (interactiveMode === undefined) {
    throw new ConfigurationError(`invalid interactiveMode for ${userName}: ${JSON.stringify(asked)}`);
  }
  const extension = `${apiVersion.slice(0, apiVersion.indexOf("/"))}/exec`;
  const clusterConfig = cluster.extensions?.find(({ name }) => name === extension)?.extension;
  return {
    userName,
    command: exec.command,
    args: exec.args ?? [],
    env: exec.env ?? [],
    apiVersion,
    interactiveMode,
    provideClusterInfo: exec.provideClusterInfo === true,
    ...(exec.installHint ? { installHint: exec.installHint } : {}),
    ...(clusterConfig === undefined ? {} : { clusterConfig }),
  };
}

function impersonationOf(user: UserEntry, name: string): Impersonation | undefined {
  const { as, "as-uid": uid, "as-groups": groups, "as-user-extra": extra } = user;
  if (!as) {
    if (!uid && !groups?.length && !extra) return undefined;
    throw new ConfigurationError(
      `invalid configuration: user "${name}": as-uid, as-groups and as-user-extra require as`,
    );
  }
  return {
    user: as,
    ...(uid ? { uid } : {}),
    ...(groups === undefined ? {} : { groups }),
    ...(extra === undefined ? {} : { extra }),
  };
}

/** Returns the source of a certificate or key. Inline data takes precedence over a file. */
function source(
  data: string | undefined,
  path: string | undefined,
  told: { readonly of: string; readonly field: string },
): TextSource | undefined {
  if (data) {
    const text = Buffer.from(data, "base64").toString("utf8");
    if (!text.includes("-----BEGIN")) {
      throw new ConfigurationError(`invalid configuration: ${told.of}: ${told.field} is not PEM in base64`);
    }
    return { kind: "text", text };
  }
  return path ? { kind: "file", path } : undefined;
}
