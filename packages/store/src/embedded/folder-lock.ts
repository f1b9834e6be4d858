// One process has a store's folder at a time. Whoever has it listens on a socket: in the folder, where processes of other containers that
// share it find it too, and (on Linux) under a name of the kernel's, which takes no room on a disk. Both end with the process, however it
// ends; the file that is then left in the folder answers nobody.

import { randomUUID } from "node:crypto";
import { closeSync, linkSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { asOpenError, StoreOpenError } from "../open-problem";

const LOCK = "lock";
/** How long the one who has it may take to say its process id. */
const ANSWER_WITHIN_MS = 500;
const ATTEMPTS = 10;

export interface FolderLock {
  release(): Promise<void>;
}

/** @throws StoreOpenError inUse, noAccess */
export async function lockFolder(directory: string): Promise<FolderLock> {
  const held: Server[] = [];
  try {
    if (process.platform === "linux") held.push(await lockByName(directory));
    const byFile = await lockByFile(directory);
    if (byFile !== undefined) held.push(byFile);
    if (held.length === 0) throw new StoreOpenError("noAccess", `no lock can be made in ${directory}`);
    return {
      async release() {
        if (byFile !== undefined) rmSync(join(directory, LOCK), { force: true });
        await Promise.all(held.map(closed));
      },
    };
  } catch (error) {
    await Promise.all(held.map(closed));
    throw asOpenError(`the store in ${directory}`, error);
  }
}

async function lockByName(directory: string): Promise<Server> {
  const { dev, ino } = statSync(directory);
  const path = `\0orch-store-${dev}-${ino}`;
  try {
    return await listening(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw inUse(directory, await holderAt(path));
  }
}

/** @returns undefined where the folder takes no socket: its disk is full, or of a kind that knows none */
async function lockByFile(directory: string): Promise<Server | undefined> {
  const descriptor = openSync(directory, "r");
  // A socket's path is limited to some hundred bytes, which a folder's may exceed.
  const folder = process.platform === "linux" ? `/proc/self/fd/${descriptor}` : directory;
  const lock = join(folder, LOCK);
  const own = join(folder, `${LOCK}-${randomUUID()}`);
  let server: Server | undefined;
  try {
    server = await listening(own).catch(() => undefined);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const outcome = server === undefined ? "impossible" : link(own, lock);
      if (outcome === "linked") return server;
      const found = statSync(lock, { throwIfNoEntry: false });
      const holder = await holderAt(lock);
      if (holder !== undefined) throw inUse(directory, holder);
      if (outcome === "impossible") {
        if (server !== undefined) await closed(server);
        return undefined;
      }
      if (found !== undefined) dropStale(lock, found.ino);
    }
    throw inUse(directory, undefined);
  } catch (error) {
    if (server !== undefined) await closed(server);
    throw error;
  } finally {
    rmSync(own, { force: true });
    closeSync(descriptor);
  }
}

/** @returns taken: there is one; impossible: on such a disk, or now that it is full */
function link(own: string, lock: string): "linked" | "taken" | "impossible" {
  try {
    linkSync(own, lock);
    return "linked";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EEXIST" ? "taken" : "impossible";
  }
}

/** Removes a lock that nobody has; one that somebody has taken in its place meanwhile is put back. */
function dropStale(lock: string, inode: number): void {
  const aside = `${lock}-${randomUUID()}`;
  try {
    renameSync(lock, aside);
    if (statSync(aside).ino !== inode) link(aside, lock);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function listening(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.end(String(process.pid));
    });
    server.once("error", reject);
    server.listen(path, () => {
      server.unref();
      resolve(server);
    });
  });
}

/** @returns who listens there, if anybody does: its process id, or "" where it does not say */
function holderAt(path: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let said = "";
    const socket = connect(path);
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy());
    socket.on("data", (text) => {
      said += text;
    });
    socket.once("connect", () => socket.once("close", () => resolve(said)));
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED" || error.code === "ENOENT") resolve(undefined);
      else if (error.code === "ECONNRESET") resolve(said);
      else reject(error);
    });
  });
}

const closed = (server: Server): Promise<void> => new Promise((done) => server.close(() => done()));

function inUse(directory: string, holder: string | undefined): StoreOpenError {
  const who =
    holder === String(process.pid)
      ? `already open in this process`
      : `in use by another process${holder ? ` (${holder})` : ""}`;
  return new StoreOpenError("inUse", `the store in ${directory} is ${who}`);
}
