// Selection and merging of client configuration files. Source: Kubernetes documentation, "Organizing Cluster Access
// Using kubeconfig Files".

import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { type Log, readBoundedText, silentLog, systemFault } from "@orch/platform";
import { type VocabularyName, vocabularyOf } from "@orch/schema";
import { ConfigurationError } from "../connection/connection-settings";
import { type ClientConfiguration, EMPTY_CONFIGURATION } from "./configuration-file";
import { parseConfiguration } from "./parse-configuration";

export interface LoadOptions {
  /** Only this file is read, and it must exist. */
  readonly path?: string;
  /** Default: `orch`. */
  readonly vocabulary?: VocabularyName;
  /** Default: that of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly log?: Log;
}

/**
 * Loads the named file, or else the files listed in the environment, or else the file in the user's home.
 * @throws ConfigurationError when a required file is missing, or none of the existing files can be read
 */
export function loadConfiguration(options: LoadOptions = {}): ClientConfiguration {
  if (options.path !== undefined) {
    const text = textOf(options.path);
    if (text === undefined) throw new ConfigurationError(`${options.path}: no such file or directory`);
    return parseConfiguration(text, options.path);
  }
  const found: ClientConfiguration[] = [];
  const errors: Error[] = [];
  for (const path of configurationPaths(options)) {
    try {
      const text = textOf(path);
      if (text !== undefined) found.push(parseConfiguration(text, path));
    } catch (error) {
      errors.push(error as Error);
      options.log?.warn("a client configuration file is ignored", { path, error: (error as Error).message });
    }
  }
  if (found.length === 0 && errors.length > 0) throw errors[0];
  return mergeConfigurations(found);
}

/** Returns the paths to search when no file is named. The files need not exist. */
export function configurationPaths({
  vocabulary = "orch",
  environment = process.env,
  log = silentLog,
}: LoadOptions): string[] {
  const names = vocabularyOf(vocabulary);
  const list = environment[names.environment.orchconfig];
  if (list) {
    const paths = [...new Set(list.split(delimiter).filter((path) => path !== ""))];
    if (paths.length === 0) log.warn("the environment variable that lists client configuration files is empty", {});
    return paths;
  }
  return [names.hostPaths.homeConfig.replace(/^~/, environment["HOME"] || homedir())].map((path) => join(path));
}

/** Merges configurations. For each name, the first file wins with its whole entry. */
export function mergeConfigurations(found: readonly ClientConfiguration[]): ClientConfiguration {
  const merged = <Entry>(of: (configuration: ClientConfiguration) => ReadonlyMap<string, Entry>) =>
    new Map(found.toReversed().flatMap((configuration) => [...of(configuration)]));
  return {
    ...EMPTY_CONFIGURATION,
    clusters: merged(({ clusters }) => clusters),
    users: merged(({ users }) => users),
    userFiles: merged(({ userFiles = NO_FILES }) => userFiles),
    contexts: merged(({ contexts }) => contexts),
    currentContext: found.find(({ currentContext }) => currentContext !== "")?.currentContext ?? "",
  };
}

const NO_FILES: ReadonlyMap<string, string> = new Map();

/** Maximum size of a file: many times that of a file with thousands of clusters. */
const CONFIGURATION_MAX_BYTES = 64 * 1024 * 1024;

/** Reads a file. @returns undefined when it does not exist */
function textOf(path: string): string | undefined {
  try {
    return readBoundedText(path, { maxBytes: CONFIGURATION_MAX_BYTES });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new ConfigurationError(`${path}: ${systemFault(error)}`);
  }
}
