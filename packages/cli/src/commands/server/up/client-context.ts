// The context of a server of `orch up` in the client configuration. Entries that `orch up` made carry a mark in their
// cluster. Other entries are never replaced, and neither is a current context of another origin.
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  type ClientConfiguration,
  type ClusterEntry,
  ConfigurationError,
  configurationPaths,
  loadConfiguration,
  mergeConfigurations,
  writeConfiguration,
} from "@orch/client";
import { type VocabularyName, vocabularyOf } from "@orch/schema";
import { configurationPlace, connectionOf } from "../../../connection/connection";
import { fileFault } from "../../../process/file-fault";
import type { GlobalOptions } from "../../../process/global-options";

export interface ContextRequest {
  readonly vocabulary: VocabularyName;
  /** Data directory of the server. */
  readonly dataDir: string;
  readonly url: string;
  /** Kubeconfig of the operator that the server wrote. */
  readonly adminFile: string;
  /** Folder with the administrator's certificate and key, which the server renews. */
  readonly pkiFolder: string | undefined;
  /** File to write. Default: the file of the vocabulary. */
  readonly file: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface WrittenContext {
  /** Lines for the user. */
  readonly notes: readonly string[];
  /** Beginning of a command that reaches the server: `orch`, with options when it needs them. */
  readonly command: string;
}

const MARK = "up";

/** Adds or updates the context. A configuration that cannot be written is a note, because the server runs without it. */
export function writeContext(request: ContextRequest): WrittenContext {
  const written = filesOf(request).map((file) => writeTo(file, request));
  const notes = written.flatMap((each) => each.notes);
  const [shortest] = written.map(({ command }) => command).sort((one, other) => one.length - other.length);
  return { notes, command: shortest ?? `orch --kubeconfig=${request.adminFile}` };
}

/** Returns the file of the vocabulary, for programs such as kubectl, and the one that `orch` itself reads. */
function filesOf({ file, vocabulary, environment, adminFile }: ContextRequest): readonly string[] {
  if (file !== undefined) return [resolve(file)];
  const ofVocabulary = configurationPaths({ vocabulary, environment })[0] ?? adminFile;
  const ofCommand = configurationPlace({}, environment).paths[0] ?? ofVocabulary;
  return [...new Set([ofVocabulary, ofCommand].map((path) => resolve(path)))];
}

function writeTo(file: string, request: ContextRequest): WrittenContext {
  const { adminFile } = request;
  try {
    const existing = load(file);
    const name = nameFor(existing, request);
    const current = existing.currentContext;
    const becomesCurrent = current === "" || isOfUp(existing, current) || !existing.contexts.has(current);
    const entry = entryOf(request, name, becomesCurrent ? name : current);
    if (!isThere(existing, entry)) writeConfiguration(file, entry);
    const notes = [`Context ${JSON.stringify(name)} of the client configuration: ${file}`];
    if (!becomesCurrent) notes.push(`The current context of that file stays ${JSON.stringify(current)}.`);
    else if (current !== "" && current !== name) notes.push(`It is the current context now, after ${current}.`);
    return { notes, command: commandFor(request, file, name) };
  } catch (error) {
    if (!(error instanceof ConfigurationError) && (error as NodeJS.ErrnoException).code === undefined) throw error;
    return {
      notes: [`The client configuration was not changed: ${fileFault(error)}`],
      command: `orch --kubeconfig=${adminFile}`,
    };
  }
}

const load = (file: string): ClientConfiguration =>
  existsSync(file) ? loadConfiguration({ path: file }) : mergeConfigurations([]);

/** Returns the first name that is free or was made for the same data directory. */
function nameFor(existing: ClientConfiguration, { vocabulary, url, dataDir }: ContextRequest): string {
  const product = vocabulary === "orch" ? "orch" : `orch-${vocabularyOf(vocabulary).objectNames.product}`;
  const { port } = new URL(url);
  for (let at = 0; ; at += 1) {
    const name = at === 0 ? product : at === 1 ? `${product}-${port}` : `${product}-${port}-${at}`;
    const isFree = !existing.contexts.has(name) && !existing.clusters.has(name) && !existing.users.has(name);
    if (isFree || markOf(existing.clusters.get(name)) === dataDir) return name;
  }
}

function entryOf({ adminFile, pkiFolder, dataDir }: ContextRequest, name: string, current: string) {
  const admin = loadConfiguration({ path: adminFile });
  const [cluster] = [...admin.clusters.values()];
  const [user] = [...admin.users.values()];
  const pair = pkiFolder && {
    "client-certificate": join(pkiFolder, "admin.crt"),
    "client-key": join(pkiFolder, "admin.key"),
  };
  return {
    clusters: new Map([[name, { ...cluster, extensions: [{ name: MARK, extension: { dataDir } }] }]]),
    users: new Map([[name, pair || { ...user }]]),
    contexts: new Map([[name, { cluster: name, user: name }]]),
    currentContext: current,
  } satisfies ClientConfiguration;
}

const markOf = (cluster: ClusterEntry | undefined): string | undefined => {
  const found = cluster?.extensions?.find(({ name }) => name === MARK)?.extension;
  return (found as { readonly dataDir?: string } | undefined)?.dataDir;
};

function isOfUp({ contexts, clusters }: ClientConfiguration, name: string): boolean {
  return markOf(clusters.get(contexts.get(name)?.cluster ?? "")) !== undefined;
}

function isThere(existing: ClientConfiguration, { clusters, users, contexts, currentContext }: ClientConfiguration) {
  const same = (one: ReadonlyMap<string, object>, other: ReadonlyMap<string, object>) =>
    [...one].every(([name, entry]) => JSON.stringify(other.get(name)) === JSON.stringify(entry));
  return (
    existing.currentContext === currentContext &&
    same(clusters, existing.clusters) &&
    same(users, existing.users) &&
    same(contexts, existing.contexts)
  );
}

/** Returns `orch` with the options that a command needs to reach this server rather than another one. */
function commandFor({ environment }: ContextRequest, file: string, context: string): string {
  const choices = [{}, { context }, { kubeconfig: file }, { kubeconfig: file, context }];
  const placeOf = (options: GlobalOptions): string => {
    const { server, tls } = connectionOf(options, environment);
    return JSON.stringify({ server, tls });
  };
  // Another server may have had the same address: the authority tells them apart.
  const wanted = placeOf({ kubeconfig: file, context });
  const needed = choices.find((options) => {
    try {
      return placeOf(options) === wanted;
    } catch {
      return false;
    }
  });
  const words = Object.entries(needed ?? choices[choices.length - 1] ?? {}).map(
    ([name, value]) => ` --${name}=${value}`,
  );
  return `orch${words.join("")}`;
}

/** Returns the folder of the administrator's certificate beside that of the authority. */
export const pkiFolderOf = (authorityFile: string | undefined): string | undefined =>
  authorityFile === undefined ? undefined : resolve(dirname(authorityFile));
