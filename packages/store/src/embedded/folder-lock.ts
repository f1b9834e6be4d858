// One process has a store's folder at a time. The holder listens on a socket in the folder, where only those who may write there can put one, and
// where processes of other containers that share the folder find it too. The socket ends with the process, however that ends; the file that is
// then left answers nobody. The holder keeps a descriptor of the folder too, which other processes of the same user find under /proc: it holds the folder
// when somebody removes the socket's file, and where the folder takes no socket, because its disk is full or knows none.

import { randomUUID } from "node:crypto";
import {
  closeSync,
  linkSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { basename, join } from "node:path";
import { asOpenError, StoreOpenError } from "../contract/open-problem";

const LOCK = "lock";
/** How long the one who has it may take to say its process id. */
const ANSWER_WITHIN_MS = 500;
const ATTEMPTS = 10;

export interface FolderLock {
  release(): Promise<void>;
}

/** @throws StoreOpenError inUse, noAccess */
export async function lockFolder(directory: string): Promise<FolderLock> {
  try {
    const server = await lockByFile(directory);
    if (server === undefined) return await lockByDescriptor(directory);
    let forget = (): void => {};
    const release = async (): Promise<void> => {
      forget();
      rmSync(join(directory, LOCK), { force: true });
      await closed(server);
    };
    await refuseOpenFolder(directory).catch(async (error: unknown) => {
      await release();
      throw error;
    });
    if (process.platform === "linux") forget = keepOpen(directory, openSync(directory, "r"));
    return { release };
  } catch (error) {
    throw asOpenError(`the store in ${directory}`, error);
  }
}

/** The folders that this process holds by a descriptor. */
const heldOpen = new Set<string>();
/** A process that fails to get the folder has it open for a moment. */
const LOOKS = 5;
const LOOK_EVERY_MS = 50;

/**
 * Holds a folder by having it open. A holder by a socket listens before it looks for open folders, and this one opens the folder before it looks
 * for a socket: of two that begin at the same moment at least one sees the other.
 * @throws StoreOpenError inUse, noAccess
 */
async function lockByDescriptor(directory: string): Promise<FolderLock> {
  if (process.platform !== "linux") throw new StoreOpenError("noAccess", `cannot create a lock in ${directory}`);
  const descriptor = openSync(directory, "r");
  try {
    await refuseOpenFolder(directory);
    const holder = await holderAt(join(`/proc/self/fd/${descriptor}`, LOCK));
    if (holder !== undefined) throw inUse(directory, holder);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  const forget = keepOpen(directory, descriptor);
  return { release: async () => forget() };
}

/** Holds the folder by a descriptor. @returns ends that */
function keepOpen(directory: string, descriptor: number): () => void {
  const folder = realpathSync(directory);
  heldOpen.add(folder);
  return () => {
    heldOpen.delete(folder);
    closeSync(descriptor);
  };
}

/** @throws StoreOpenError inUse where another process, or this one, holds the folder by a descriptor */
async function refuseOpenFolder(directory: string): Promise<void> {
  if (process.platform !== "linux") return;
  const folder = realpathSync(directory);
  if (heldOpen.has(folder)) throw inUse(directory, String(process.pid));
  for (let look = 1; ; look += 1) {
    const holder = holderByDescriptor(folder);
    if (holder === undefined) return;
    if (look >= LOOKS) throw inUse(directory, holder);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** Returns the id of another process of this user, and of this run time, that has the folder open. */
function holderByDescriptor(folder: string): string | undefined {
  const own = process.getuid?.();
  const program = basename(process.execPath);
  const others = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  return others.find((pid) => {
    try {
      if (statSync(`/proc/${pid}`).uid !== own || basename(readlinkSync(`/proc/${pid}/exe`)) !== program) return false;
    } catch {
      return false; // It has ended, or hides what it is, as processes with more rights do.
    }
    return linksIn(`/proc/${pid}/fd`).includes(folder);
  });
}

function linksIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => {
      try {
        return readlinkSync(join(folder, name));
      } catch {
        return ""; // Closed meanwhile.
      }
    });
  } catch {
    return [];
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
