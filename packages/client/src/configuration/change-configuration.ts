// Changes of client configuration files: under a lock, and all at once.
import { closeSync, fsyncSync, openSync, readFileSync, realpathSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder, pause, systemClock } from "@orch/platform";
import { ConfigurationError } from "../connection/connection-settings";
import type { ClusterEntry, ContextEntry, UserEntry } from "./configuration-file";
import { relativePaths } from "./configuration-paths";
import { draftOf, EditedDocument, type FieldValue } from "./edited-document";
import { parseConfiguration } from "./parse-configuration";

/** Fields to set. Undefined removes a field; fields that are not named are kept. */
type Fields<Entry> = { readonly [Field in keyof Entry]?: Entry[Field] | undefined };

/** A configuration file while it is changed. Entries that do not exist are created. */
export interface EditedConfiguration {
  setCluster(name: string, fields: Fields<ClusterEntry>): void;
  setUser(name: string, fields: Fields<UserEntry>): void;
  setContext(name: string, fields: Fields<ContextEntry>): void;
  /** Sets keys of `auth-provider.config` of a user. */
  setAuthProvider(user: string, config: Readonly<Record<string, string | undefined>>): void;
  /** @returns false when there is no such entry */
  deleteCluster(name: string): boolean;
  deleteUser(name: string): boolean;
  deleteContext(name: string): boolean;
  /** Renames a context, and the current context with it. @returns false when there is no such context */
  renameContext(name: string, to: string): boolean;
  /** @param name undefined: none */
  setCurrentContext(name: string | undefined): void;
}

export interface ChangeOptions {
  /** Time to wait for another program that is changing the file. Default: 5 seconds. */
  readonly waitMs?: number;
  /** Ends the waiting. */
  readonly signal?: AbortSignal;
}

const WAIT_MS = 5_000;
const LOOK_AGAIN_MS = 50;
const OWNER_ONLY = 0o600;

/**
 * Changes a file, or creates it. The new content replaces the old one at once, readable only by its owner. Comments and
 * unknown fields are kept. An error of `change` leaves the file unchanged.
 * @throws ConfigurationError when another program keeps the file locked, or the file is invalid
 */
export async function changeConfiguration(
  path: string,
  change: (file: EditedConfiguration) => void,
  { waitMs = WAIT_MS, signal }: ChangeOptions = {},
): Promise<void> {
  const until = systemClock.elapsed() + waitMs;
  while (!changedNow(path, change)) {
    if (systemClock.elapsed() >= until) throw locked(path);
    await pause(systemClock, LOOK_AGAIN_MS, signal);
  }
}

/** Changes a file like `changeConfiguration`, without waiting for a lock. */
export function changeConfigurationNow(path: string, change: (file: EditedConfiguration) => void): void {
  if (!changedNow(path, change)) throw locked(path);
}

/** @returns false when the file is locked */
function changedNow(path: string, change: (file: EditedConfiguration) => void): boolean {
  makeFolder(dirname(path), 0o755);
  const release = lock(path);
  if (release === undefined) return false;
  try {
    const file = realPath(path);
    const before = textOf(file);
    const document = new EditedDocument(before, path);
    // Checks what may not be kept, such as an entry that occurs twice.
    parseConfiguration(before, path);
    change(editing(document, { before, path }));
    const text = document.text();
    parseConfiguration(text, path);
    if (text !== before) replace(file, text);
    return true;
  } finally {
    release();
  }
}

/** client-go uses the same lock. Source: staging/src/k8s.io/client-go/tools/clientcmd/config.go. */
function lock(path: string): (() => void) | undefined {
  const file = lockOf(path);
  try {
    closeSync(openSync(file, "wx", OWNER_ONLY));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw new ConfigurationError(`${path} cannot be locked: ${(error as Error).message}`);
  }
  return () => rmSync(file, { force: true });
}

const lockOf = (path: string): string => `${path}.lock`;

const locked = (path: string): ConfigurationError =>
  new ConfigurationError(
    `${path} is being changed by another program; if no program is running, remove the stale lock ${lockOf(path)}`,
  );

/** Follows symbolic links, so that they are kept. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw new ConfigurationError(`${path}: ${(error as Error).message}`);
  }
}

function replace(path: string, text: string): void {
  const draft = draftOf(path);
  try {
    const file = openSync(draft, "wx", OWNER_ONLY);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new ConfigurationError(`${path} cannot be written: ${(error as Error).message}`);
  }
}

function editing(
  document: EditedDocument,
  { before, path }: { readonly before: string; readonly path: string },
): EditedConfiguration {
  const written = (fields: object) => relativePaths(fields, dirname(path)) as Readonly<Record<string, FieldValue>>;
  return {
    setCluster: (name, fields) => document.set("clusters", name, written(fields)),
    setUser: (name, fields) => document.set("users", name, written(fields)),
    setContext: (name, fields) => document.set("contexts", name, written(fields)),
    setAuthProvider: (user, config) => {
      for (const [key, value] of Object.entries(config)) {
        document.setAt("users", user, ["auth-provider", "config", key], value);
      }
    },
    deleteCluster: (name) => document.delete("clusters", name),
    deleteUser: (name) => document.delete("users", name),
    deleteContext: (name) => document.delete("contexts", name),
    renameContext: (name, to) => {
      if (!document.rename("contexts", name, to)) return false;
      if (parseConfiguration(before, path).currentContext === name) document.setTop("current-context", to);
      return true;
    },
    setCurrentContext: (name) => document.setTop("current-context", name ?? ""),
  };
}
