// Entries of the configuration from options: set-context, set-cluster and set-credentials. Sources:
// kubectl/pkg/cmd/config/set_context.go, set_cluster.go, set_credentials.go.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { systemFault } from "@orch/platform";
import { setEntry } from "../../../connection/configuration-entries";
import { ConfigurationFiles } from "../../../connection/configuration-files";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";

export async function setContext(
  session: Session,
  named: string | undefined,
  { current }: { readonly current?: boolean },
): Promise<void> {
  const files = new ConfigurationFiles(session);
  const { contexts, currentContext } = files.load();
  if (current === true && named !== undefined)
    throw new CliError("you cannot specify both a context name and --current");
  if (current === true && currentContext === "") throw new CliError("no current context is set");
  const name = current === true ? currentContext : named;
  if (!name) throw new CliError("you must specify a non-empty context name or --current");
  const { cluster, user, namespace } = session.options;
  const isKnown = contexts.has(name);
  await files.changeEntry("contexts", name, (file) =>
    setEntry(file, "contexts", name, given({ cluster, user, namespace })),
  );
  session.write(`Context ${JSON.stringify(name)} ${isKnown ? "modified" : "created"}.\n`);
}

interface ClusterOptions {
  readonly proxyUrl?: string;
  readonly embedCerts?: boolean;
}

export async function setCluster(session: Session, name: string, options: ClusterOptions): Promise<void> {
  const { proxyUrl, embedCerts } = options;
  const { server, certificateAuthority: ca, insecureSkipTlsVerify: insecure, tlsServerName } = session.options;
  if (ca && insecure === true) {
    throw new CliError("you cannot specify a certificate authority and insecure mode at the same time");
  }
  if (embedCerts === true && !ca) throw new CliError("you must specify a --certificate-authority to embed");
  const files = new ConfigurationFiles(session);
  await files.changeEntry("clusters", name, (file) => {
    setEntry(file, "clusters", name, {
      ...given({
        server,
        "tls-server-name": tlsServerName,
        "proxy-url": proxyUrl,
        "insecure-skip-tls-verify": insecure,
      }),
      ...(insecure === true && { "certificate-authority": undefined, "certificate-authority-data": undefined }),
      ...(ca !== undefined && {
        "insecure-skip-tls-verify": undefined,
        ...fileFields("certificate-authority", ca, embedCerts === true),
      }),
    });
  });
  session.write(`Cluster ${JSON.stringify(name)} set.\n`);
}

interface CredentialOptions {
  readonly embedCerts?: boolean;
  readonly authProvider?: string;
  readonly authProviderArg?: readonly string[];
  readonly execCommand?: string;
  readonly execApiVersion?: string;
  readonly execArg?: readonly string[];
  readonly execEnv?: readonly string[];
  readonly execInteractiveMode?: string;
  readonly execProvideClusterInfo?: boolean;
}

const MODES = ["IfAvailable", "Never", "Always"];

export async function setCredentials(session: Session, name: string, options: CredentialOptions): Promise<void> {
  const { token, username, password, clientCertificate: certificate, clientKey: key } = session.options;
  const { embedCerts = false, execInteractiveMode: mode } = options;
  const methods = [
    ...(token === undefined ? [] : ["--token"]),
    ...(username === undefined ? [] : ["--username/--password"]),
  ];
  if (methods.length > 1) {
    throw new CliError(
      `you cannot specify more than one authentication method at the same time: ${methods.join(", ")}`,
    );
  }
  if (embedCerts && !certificate && !key) {
    throw new CliError("you must specify a --client-certificate or --client-key to embed");
  }
  if (mode !== undefined && !MODES.includes(mode)) {
    throw new CliError(`invalid interactive mode type, can be only ${MODES.join(", ")}`);
  }
  const files = new ConfigurationFiles(session);
  const before = files.load().users.get(name) ?? {};
  await files.changeEntry("users", name, (file) => {
    setEntry(file, "users", name, {
      ...(certificate !== undefined && fileFields("client-certificate", certificate, embedCerts)),
      ...(key !== undefined && fileFields("client-key", key, embedCerts)),
      ...(token !== undefined && { token, tokenFile: undefined, username: undefined, password: undefined }),
      ...(username !== undefined && { username, token: undefined, tokenFile: undefined }),
      ...given({ password }),
      ...providerFields(before["auth-provider"], options),
      ...execFields(before.exec, options),
    });
  });
  session.write(`User ${JSON.stringify(name)} set.\n`);
}

function providerFields(before: unknown, { authProvider, authProviderArg = [] }: CredentialOptions): object {
  if (authProvider === undefined && authProviderArg.length === 0) return {};
  const known = (before ?? {}) as { readonly name?: string; readonly config?: Record<string, string> };
  const config = { ...known.config };
  for (const [key, value] of pairsOf("--auth-provider-arg", authProviderArg)) {
    if (value === undefined) delete config[key];
    else config[key] = value;
  }
  return { "auth-provider": { ...known, name: authProvider ?? known.name, config } };
}

function execFields(before: unknown, options: CredentialOptions): object {
  const { execCommand, execApiVersion, execArg, execEnv = [], execInteractiveMode, execProvideClusterInfo } = options;
  const isAsked = [execCommand, execApiVersion, execArg, execInteractiveMode, execProvideClusterInfo].some(
    (value) => value !== undefined,
  );
  if (!isAsked && execEnv.length === 0) return {};
  const known = (before ?? {}) as {
    readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  };
  const variables = new Map((known.env ?? []).map(({ name, value }) => [name, value]));
  for (const [key, value] of pairsOf("--exec-env", execEnv)) {
    if (value === undefined) variables.delete(key);
    else variables.set(key, value);
  }
  return {
    exec: {
      ...known,
      ...given({
        command: execCommand,
        apiVersion: execApiVersion,
        args: execArg,
        interactiveMode: execInteractiveMode,
        provideClusterInfo: execProvideClusterInfo,
      }),
      ...(variables.size > 0 && { env: [...variables].map(([name, value]) => ({ name, value })) }),
    },
  };
}

/** Reads `key=value`, and `key-`, which removes the key. */
function pairsOf(option: string, texts: readonly string[]): readonly (readonly [string, string | undefined])[] {
  return texts.map((text) => {
    const at = text.indexOf("=");
    if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
    if (at === -1 && text.endsWith("-") && text.length > 1) return [text.slice(0, -1), undefined];
    throw new CliError(`${option}: ${JSON.stringify(text)} is neither KEY=VALUE nor KEY-`);
  });
}

/** Returns the fields of a file: its absolute path, or its content in base64. */
function fileFields(field: string, path: string, embed: boolean): Readonly<Record<string, string | undefined>> {
  if (path === "") return { [field]: undefined, [`${field}-data`]: undefined };
  if (!embed) return { [field]: resolve(path), [`${field}-data`]: undefined };
  try {
    return { [field]: undefined, [`${field}-data`]: readFileSync(path).toString("base64") };
  } catch (error) {
    throw new CliError(`could not read ${field} data from ${path}: ${systemFault(error)}`);
  }
}

/** Leaves out what was not given; "" removes the field. */
function given(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([field, value]) => [field, value === "" ? undefined : value]),
  );
}
