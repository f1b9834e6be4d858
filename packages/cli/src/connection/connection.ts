// The server and the user of a command: global options over the client configuration.
import { existsSync } from "node:fs";
import {
  type ClientConfiguration,
  ConfigurationError,
  type ConnectionSettings,
  configurationPaths,
  inClusterConnection,
  loadConfiguration,
  resolveContext,
  type TextSource,
} from "@orch/client";
import type { VocabularyName } from "@orch/schema";
import { CliError } from "../process/cli-error";
import type { GlobalOptions } from "../process/global-options";

type Environment = Readonly<Record<string, string | undefined>>;

/** Place of the configuration: the files that are read, and the vocabulary of their names. */
export interface ConfigurationPlace {
  readonly vocabulary: VocabularyName;
  readonly paths: readonly string[];
}

/**
 * Returns where the configuration is: the named file, the files of the environment, or the first file in the user's
 * home that exists. As a plugin of kubectl, the command looks for kubectl's files first.
 */
export function configurationPlace(options: GlobalOptions, environment: Environment): ConfigurationPlace {
  const names: readonly VocabularyName[] =
    environment["ORCH_AS_PLUGIN"] === "kubectl" ? ["kubernetes", "orch"] : ["orch", "kubernetes"];
  const places = names.map((vocabulary) => ({ vocabulary, paths: configurationPaths({ vocabulary, environment }) }));
  const first = places[0] as ConfigurationPlace;
  if (options.kubeconfig !== undefined) return { ...first, paths: [options.kubeconfig] };
  const variables = { orch: "ORCHCONFIG", kubernetes: "KUBECONFIG" } as const;
  return (
    places.find(({ vocabulary }) => environment[variables[vocabulary]]) ??
    places.find(({ paths }) => paths.some((path) => existsSync(path))) ??
    first
  );
}

/** Loads the configuration. @throws ConfigurationError */
export function configurationOf(options: GlobalOptions, environment: Environment): ClientConfiguration {
  const { vocabulary } = configurationPlace(options, environment);
  return loadConfiguration({
    vocabulary,
    environment,
    ...(options.kubeconfig === undefined ? {} : { path: options.kubeconfig }),
  });
}

/** Returns the server and the user. @throws ConfigurationError, CliError */
export function connectionOf(options: GlobalOptions, environment: Environment): ConnectionSettings {
  const { as, asGroup, asUid, asUserExtra } = options;
  if (as === undefined && (asGroup ?? asUid ?? asUserExtra) !== undefined) {
    throw new CliError(
      "--as-group, --as-uid and --as-user-extra need --as: they cannot be requested without impersonating a user",
    );
  }
  const chosen = withOptions(ofConfiguration(options, environment), options);
  return as === undefined
    ? chosen
    : {
        ...chosen,
        impersonation: {
          user: as,
          ...(asUid === undefined ? {} : { uid: asUid }),
          ...(asGroup === undefined ? {} : { groups: asGroup }),
          ...(asUserExtra === undefined ? {} : { extra: extraOf(asUserExtra) }),
        },
      };
}

/** Returns the values of each key. @throws CliError */
function extraOf(pairs: readonly string[]): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at < 1) throw new CliError(`--as-user-extra: ${JSON.stringify(pair)} is not of the form KEY=VALUE`);
    const key = pair.slice(0, at);
    extra[key] = [...(Object.hasOwn(extra, key) ? (extra[key] ?? []) : []), pair.slice(at + 1)];
  }
  return extra;
}

function ofConfiguration(options: GlobalOptions, environment: Environment): ConnectionSettings {
  const { context, cluster, user, namespace, server } = options;
  const configuration = configurationOf(options, environment);
  const isEmpty = configuration.clusters.size === 0 && configuration.contexts.size === 0;
  if (isEmpty && server !== undefined) {
    return { server, tls: {}, credentials: {}, namespace: namespace ?? "default" };
  }
  if (isEmpty && options.kubeconfig === undefined) {
    const inside = inClusterConnection({ environment });
    if (inside !== undefined) return namespace === undefined ? inside : { ...inside, namespace };
    const { paths } = configurationPlace(options, environment);
    throw new CliError(
      `there is no client configuration (looked for ${paths.join(", ")}): start a server with "orch up", or name a file with --kubeconfig`,
    );
  }
  try {
    return resolveContext(server === undefined ? configuration : withServer(configuration, server), {
      ...(context === undefined ? {} : { context }),
      ...(cluster === undefined ? {} : { cluster }),
      ...(user === undefined ? {} : { user }),
      ...(namespace === undefined ? {} : { namespace }),
    });
  } catch (error) {
    if (error instanceof ConfigurationError && configuration.currentContext === "" && context === undefined) {
      const names = [...configuration.contexts.keys()].join(", ") || "none";
      throw new CliError(`no current context is set: choose one with --context (contexts: ${names})`);
    }
    throw error;
  }
}

/** The server of the option stands for that of any cluster, which then needs none. */
function withServer(configuration: ClientConfiguration, server: string): ClientConfiguration {
  const clusters = [...configuration.clusters].map(
    ([name, entry]) => [name, { ...entry, server: urlOf(server) }] as const,
  );
  return { ...configuration, clusters: new Map(clusters) };
}

function withOptions(chosen: ConnectionSettings, options: GlobalOptions): ConnectionSettings {
  const { server, certificateAuthority, clientCertificate, clientKey } = options;
  const { insecureSkipTlsVerify, tlsServerName } = options;
  if ((clientCertificate === undefined) !== (clientKey === undefined)) {
    throw new CliError("--client-certificate and --client-key must be given together");
  }
  const { ca, ...tlsWithoutCa } = chosen.tls;
  const tls = insecureSkipTlsVerify === true ? { ...tlsWithoutCa, insecureSkipVerify: true } : chosen.tls;
  return {
    ...chosen,
    ...(server === undefined ? {} : { server: urlOf(server) }),
    tls: {
      ...tls,
      ...(certificateAuthority === undefined ? {} : { ca: file(certificateAuthority) }),
      ...(tlsServerName === undefined ? {} : { serverName: tlsServerName }),
    },
    credentials: credentialsOf(options) ?? chosen.credentials,
  };
}

/** Returns the credentials of the options, which replace those of the configuration. */
function credentialsOf({
  token,
  username,
  password,
  clientCertificate,
  clientKey,
}: GlobalOptions): ConnectionSettings["credentials"] | undefined {
  if (token !== undefined) return { token };
  if (username !== undefined || password !== undefined) {
    return { password: { user: username ?? "", password: password ?? "" } };
  }
  if (clientCertificate === undefined || clientKey === undefined) return undefined;
  return { certificate: { certificate: file(clientCertificate), key: file(clientKey) } };
}

const file = (path: string): TextSource => ({ kind: "file", path });

function urlOf(text: string): string {
  const full = /^https?:\/\//.test(text) ? text : `https://${text}`;
  if (!URL.canParse(full)) throw new CliError(`--server: ${JSON.stringify(text)} is not a URL: use https://HOST:PORT`);
  return full.replace(/\/+$/, "");
}
