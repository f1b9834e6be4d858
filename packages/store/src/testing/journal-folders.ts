// Journals for tests, created by the store itself and then damaged.

import {
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Revision, Store } from "../contract/contract";
import { openJournal } from "../embedded/open-journal";
import { LocalStore } from "../local/local-store";

export class JournalFolders {
  private readonly root = mkdtempSync(join(tmpdir(), "store-journal-"));
  private count = 0;

  fresh(): string {
    return join(this.root, `${this.count++}`);
  }

  copyOf(directory: string): string {
    const copy = this.fresh();
    cpSync(directory, copy, { recursive: true });
    return copy;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

export const journalFiles = (directory: string): readonly string[] =>
  readdirSync(directory)
    .filter((name) => name.startsWith("journal-"))
    .sort()
    .map((name) => join(directory, name));

/** Opens a store that begins a new file after this number of bytes. */
export async function openWithFiles(directory: string, fileBytes: number): Promise<Store> {
  return new LocalStore(await openJournal(directory, { fileBytes }));
}

export async function put(store: Store, key: string, value: string, lease = 0): Promise<Revision> {
  const then = [{ kind: "put", key, value: Buffer.from(value), lease }] as const;
  return (await store.txn({ compare: [], then })).revision;
}

export async function remove(store: Store, key: string): Promise<Revision> {
  return (await store.txn({ compare: [], then: [{ kind: "delete", start: key }] })).revision;
}

/** Truncates the unused space at a file's end, so that it is read quickly. */
export function trimRoom(path: string, framesEnd: number): void {
  if (statSync(path).size > framesEnd + 8192) truncateSync(path, framesEnd + 8192);
}

export function overwrite(path: string, at: number, bytes: Buffer): void {
  const descriptor = openSync(path, "r+");
  writeSync(descriptor, bytes, 0, bytes.length, at);
  closeSync(descriptor);
}
