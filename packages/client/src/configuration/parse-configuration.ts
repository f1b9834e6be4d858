// Parser of client configuration files.

import { dirname, isAbsolute, resolve } from "node:path";
import { isObject, type JsonValue, parseYaml, YamlError, yamlPlace } from "@orch/schema";
import { ConfigurationError } from "../connection/connection-settings";
import {
  type ClientConfiguration,
  type ClusterEntry,
  type ContextEntry,
  EMPTY_CONFIGURATION,
  type ExecEntry,
  type UserEntry,
} from "./configuration-file";

/**
 * Parses a client configuration.
 * @param text YAML or JSON; an empty text is an empty configuration
 * @param path path of the file, for relative paths in it and for messages
 * @throws ConfigurationError
 */
export function parseConfiguration(text: string, path: string): ClientConfiguration {
  const document = parsed(text, path);
  if (document === null) return EMPTY_CONFIGURATION;
  if (!isObject(document)) throw new ConfigurationError(`${path}: expected an object`);
  const { kind, apiVersion } = document;
  if ((kind ?? "Config") !== "Config" || (apiVersion ?? "v1") !== "v1") {
    throw new ConfigurationError(
      `error loading config file "${path}": expected kind Config of apiVersion v1, not ${String(kind)} of ${String(apiVersion)}`,
    );
  }
  const folder = dirname(path);
  const context = document["current-context"];
  const users = entries<UserEntry>(document, { list: "users", field: "user", path }, (user) =>
    absoluteUser(user, folder),
  );
  return {
    clusters: entries<ClusterEntry>(document, { list: "clusters", field: "cluster", path }, (cluster) =>
      withAbsolutePaths(cluster, ["certificate-authority"], folder),
    ),
    users,
    userFiles: new Map([...users.keys()].map((name) => [name, resolve(path)])),
    contexts: entries<ContextEntry>(document, { list: "contexts", field: "context", path }, (entry) => entry),
    currentContext: typeof context === "string" ? context : "",
  };
}

/** Parses YAML. Messages contain positions but nothing of the text, which may be secret. */
function parsed(text: string, path: string): JsonValue {
  try {
    const { value, problems } = parseYaml(text);
    const [problem] = problems;
    if (problem === undefined) return value;
    const why = problem.kind === "furtherDocument" ? "it must contain a single document" : "a key occurs twice";
    throw new YamlError(why, yamlPlace(text, problem.offset));
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const { why, place } = error;
    const where = place === undefined ? "" : `line ${place.line}, column ${place.column}: `;
    throw new ConfigurationError(`${path}: ${where}${why}`);
  }
}

function entries<Entry>(
  document: Readonly<Record<string, unknown>>,
  { list, field, path }: { readonly list: string; readonly field: string; readonly path: string },
  complete: (entry: Entry) => Entry,
): Map<string, Entry> {
  const found = new Map<string, Entry>();
  const items = document[list] ?? [];
  if (!Array.isArray(items)) throw new ConfigurationError(`${path}: ${list}: expected a list`);
  for (const item of items as unknown[]) {
    if (!isObject(item) || typeof item["name"] !== "string") {
      throw new ConfigurationError(`${path}: ${list}: expected entries with a name`);
    }
    const entry = item[field] ?? {};
    if (!isObject(entry)) throw new ConfigurationError(`${path}: ${list}: ${item["name"]}: ${field} is not an object`);
    if (found.has(item["name"])) throw new ConfigurationError(`${path}: ${list}: ${item["name"]} occurs twice`);
    found.set(item["name"], complete(entry as Entry));
  }
  return found;
}

function absoluteUser(user: UserEntry, folder: string): UserEntry {
  const complete = withAbsolutePaths(user, ["client-certificate", "client-key", "tokenFile"], folder);
  if (complete.exec === undefined) return complete;
  return { ...complete, exec: absoluteCommand(complete.exec, folder) };
}

/** Resolves the path of a command. A command without a separator is looked up in PATH. */
function absoluteCommand(exec: ExecEntry, folder: string): ExecEntry {
  const { command } = exec;
  return command?.includes("/") === true && !isAbsolute(command)
    ? { ...exec, command: resolve(folder, command) }
    : exec;
}

function withAbsolutePaths<Entry extends object>(
  entry: Entry,
  fields: readonly (keyof Entry)[],
  folder: string,
): Entry {
  const complete = { ...entry };
  for (const field of fields) {
    const path: unknown = entry[field];
    if (typeof path === "string" && path !== "") complete[field] = resolve(folder, path) as Entry[keyof Entry];
  }
  return complete;
}
