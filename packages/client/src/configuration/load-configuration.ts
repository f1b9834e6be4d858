// Which client configuration files count, and how several become one. Source: facts, flags.json "files.kubeconfig", precedence and
// merge.

import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { type Log, silentLog } from "@orch/platform";
import { type VocabularyName, vocabularyOf } from "@orch/schema";
import { ConfigurationError } from "./configuration-error";
import { type ClientConfiguration, EMPTY_CONFIGURATION } from "./configuration-file";
import { parseConfiguration } from "./parse-configuration";

export interface LoadOptions {
  /** This file alone; it must be there. */
  readonly path?: string;
  /** Default: `orch`. */
  readonly vocabulary?: VocabularyName;
  /** Default: the process's. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly log?: Log;
}

/**
 * The file named, or those that the environment names, or the one in the user's home.
 * @throws ConfigurationError where a file that must be there is not, or none of those that are there can be read
 */
export function loadConfiguration(options: LoadOptions = {}): ClientConfiguration {
  if (options.path !== undefined) {
    const text = textOf(options.path);
    if (text === undefined) throw new ConfigurationError(`${options.path}: no such file`);
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
      options.log?.warn("a client configuration file is left out", { path, error: (error as Error).message });
    }
  }
  if (found.length === 0 && errors.length > 0) throw errors[0];
  return mergeConfigurations(found);
}

/** Where configuration is looked for when no file is named; the files need not be there. */
export function configurationPaths({
  vocabulary = "orch",
  environment = process.env,
  log = silentLog,
}: LoadOptions): string[] {
  const names = vocabularyOf(vocabulary);
  const list = environment[names.environment.orchconfig];
  if (list) {
    const paths = [...new Set(list.split(delimiter).filter((path) => path !== ""))];
    if (paths.length === 0) log.warn("the variable that lists client configuration files is empty", {});
    return paths;
  }
  return [names.hostPaths.homeConfig.replace(/^~/, environment["HOME"] || homedir())].map((path) => join(path));
}

/** Per name the first file wins, with its whole entry. */
export function mergeConfigurations(found: readonly ClientConfiguration[]): ClientConfiguration {
  const merged = <Entry>(of: (configuration: ClientConfiguration) => ReadonlyMap<string, Entry>) =>
    new Map(found.toReversed().flatMap((configuration) => [...of(configuration)]));
  return {
    ...EMPTY_CONFIGURATION,
    clusters: merged(({ clusters }) => clusters),
    users: merged(({ users }) => users),
    contexts: merged(({ contexts }) => contexts),
    currentContext: found.find(({ currentContext }) => currentContext !== "")?.currentContext ?? "",
  };
}

/** @returns undefined where there is no such file */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new ConfigurationError(`${path}: ${(error as Error).message}`);
  }
}
