// Writing of client configuration files.

import { type JsonObject, yamlText } from "@orch/schema";
import { changeConfigurationNow } from "./change-configuration";
import type { ClientConfiguration, UserEntry } from "./configuration-file";
import { relativePaths } from "./configuration-paths";

/** Returns a configuration with one cluster, user and context, all under one name. */
export function configurationFor(of: {
  readonly name: string;
  readonly server: string;
  /** PEM. */
  readonly ca?: string;
  readonly user: { readonly certificate: string; readonly key: string } | { readonly token: string };
  readonly namespace?: string;
}): ClientConfiguration {
  const { name, server, ca, namespace } = of;
  const user: UserEntry =
    "token" in of.user
      ? { token: of.user.token }
      : { "client-certificate-data": base64(of.user.certificate), "client-key-data": base64(of.user.key) };
  return {
    clusters: new Map([[name, { server, ...(ca === undefined ? {} : { "certificate-authority-data": base64(ca) }) }]]),
    users: new Map([[name, user]]),
    contexts: new Map([[name, { cluster: name, user: name, ...(namespace === undefined ? {} : { namespace }) }]]),
    currentContext: name,
  };
}

/**
 * Returns the text of the file, with entries sorted by name.
 * @param folder paths below it are written relative to it
 */
export function configurationText(configuration: ClientConfiguration, folder?: string): string {
  const list = (entries: ReadonlyMap<string, object>, field: string) =>
    [...entries]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, entry]): JsonObject => {
        const written = folder === undefined ? entry : relativePaths(entry, folder);
        return { name, [field]: written as JsonObject };
      });
  return yamlText({
    apiVersion: "v1",
    kind: "Config",
    clusters: list(configuration.clusters, "cluster"),
    users: list(configuration.users, "user"),
    contexts: list(configuration.contexts, "context"),
    "current-context": configuration.currentContext,
  });
}

/**
 * Merges entries into a file, replacing those of the same name. The file is readable only by its owner.
 * @throws ConfigurationError when another process is writing the file, or the existing file is invalid
 */
export function writeConfiguration(
  path: string,
  { clusters, users, contexts, currentContext }: ClientConfiguration,
): void {
  changeConfigurationNow(path, (file) => {
    for (const [name, entry] of clusters) {
      file.deleteCluster(name);
      file.setCluster(name, entry);
    }
    for (const [name, entry] of users) {
      file.deleteUser(name);
      file.setUser(name, entry);
    }
    for (const [name, entry] of contexts) {
      file.deleteContext(name);
      file.setContext(name, entry);
    }
    if (currentContext !== "") file.setCurrentContext(currentContext);
  });
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
