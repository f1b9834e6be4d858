// Creation of a store's folder with its first journal. Both are created beside their place and renamed together. A
// folder without a journal has therefore lost it, and is not the result of a crash during creation.

import { renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeFolder } from "@orch/platform";
import { asOpenError, withFiles } from "../contract/open-problem";
import { lockFolder } from "./folder-lock";
import { listJournal, syncDirectory } from "./journal-folder";
import { makeJournal, NO_CONTENT } from "./new-journal";

/** @throws StoreOpenError */
export const isFolderThere = (path: string): boolean =>
  withFiles(`the store in ${path}`, () => statSync(path, { throwIfNoEntry: false }) !== undefined);

/**
 * Creates an empty store, unless another process creates it at the same time.
 * @param path absolute; must not exist
 * @throws StoreOpenError
 */
export async function beginStore(path: string): Promise<void> {
  const unfinished = unfinishedFolder(path);
  try {
    makeFolder(unfinished, 0o700);
    const lock = await lockFolder(unfinished);
    try {
      await finish(unfinished, path);
    } finally {
      await lock.release();
    }
  } catch (error) {
    // Another process may have finished first and renamed the folder.
    if (!isFolderThere(path)) throw asOpenError(`the store in ${path}`, error);
  }
}

async function finish(unfinished: string, path: string): Promise<void> {
  if (isFolderThere(path)) {
    rmSync(unfinished, { recursive: true, force: true });
    return;
  }
  const left = listJournal(unfinished);
  for (const file of [...left.files.map((each) => each.path), ...left.unfinished]) rmSync(file, { force: true });
  await makeJournal(unfinished, { from: 1, to: 1 }, NO_CONTENT);
  renameSync(unfinished, path);
  syncDirectory(dirname(path));
}

const unfinishedFolder = (path: string): string => join(dirname(path), `unfinished-${basename(path)}`);
