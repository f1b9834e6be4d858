// Writing of client configuration files.

import { randomBytes } from "node:crypto";
import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, relative } from "node:path";
import { makeFolder } from "@orch/platform";
import { type JsonObject, yamlText } from "@orch/schema";
import { ConfigurationError } from "../connection/connection-settings";
import { type ClientConfiguration, EMPTY_CONFIGURATION, type UserEntry } from "./configuration-file";
import { mergeConfigurations } from "./load-configuration";
import { parseConfiguration } from "./parse-configuration";

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
        const written = folder === undefined ? entry : withRelativePaths(entry, folder);
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
export function writeConfiguration(path: string, entries: ClientConfiguration): void {
  makeFolder(dirname(path), 0o755);
  const release = lock(path);
  try {
    const merged = mergeConfigurations([entries, existing(path)]);
    const draft = `${path}.${randomBytes(6).toString("hex")}`;
    writeFileSync(draft, configurationText(merged, dirname(path)), { mode: 0o600 });
    renameSync(draft, path);
  } finally {
    release();
  }
}

function lock(path: string): () => void {
  const file = `${path}.lock`;
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new ConfigurationError(`${path} is being written by another program; if not, remove ${file}`);
  }
  return () => rmSync(file, { force: true });
}

function existing(path: string): ClientConfiguration {
  try {
    return parseConfiguration(readFileSync(path, "utf8"), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return EMPTY_CONFIGURATION;
    throw error;
  }
}

const PATH_FIELDS: ReadonlySet<string> = new Set([
  "certificate-authority",
  "client-certificate",
  "client-key",
  "tokenFile",
]);

function withRelativePaths(entry: object, folder: string): object {
  return Object.fromEntries(
    Object.entries(entry).map(([field, value]) => [
      field,
      PATH_FIELDS.has(field) && typeof value === "string" ? pathBelow(folder, value) : value,
    ]),
  );
}

function pathBelow(folder: string, path: string): string {
  const short = relative(folder, path);
  return isAbsolute(path) && !short.startsWith("..") ? short : path;
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
