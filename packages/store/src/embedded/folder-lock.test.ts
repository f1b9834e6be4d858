// The lock of a store's folder: a socket in the folder, or an open descriptor if no socket can be created.
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { runInProcess } from "@orch/testing";
import { lockFolder } from "./folder-lock";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "folder-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A folder in which no socket can be created, like on a full disk. */
const WITHOUT_SOCKETS = "/proc/sys/kernel";

/** Starts another process that runs the code and stays alive. */
async function other(script: string) {
  const made = runInProcess(join(__dirname), `${script}; console.log("done"); setInterval(() => {}, 1000);`);
  const ended = new Promise((done) => made.once("exit", done));
  for await (const line of createInterface({ input: made.stdout as NodeJS.ReadableStream })) {
    if (line === "done") break;
  }
  const end = async () => {
    made.kill("SIGKILL");
    await ended;
  };
  return { pid: made.pid, end };
}

test("a name that any user of the machine can take does not block the directory", async () => {
  const { dev, ino } = statSync(folder);
  const squatter = createServer((socket) => socket.end("1"));
  await new Promise<void>((resolve) => squatter.listen(`\0orch-store-${dev}-${ino}`, resolve));
  const lock = await lockFolder(folder);
  await lock.release();
  squatter.close();
});

test("a folder is had by one at a time, and free when it is released", async () => {
  const lock = await lockFolder(folder);
  await expect(lockFolder(folder)).rejects.toThrow("already open in this process");
  await lock.release();
  expect(existsSync(join(folder, "lock"))).toBe(false);
  await (await lockFolder(folder)).release();
});

test("a folder whose lock file is removed stays its holder's until that ends", async () => {
  const holder = await other(`await require("./folder-lock.ts").lockFolder(${JSON.stringify(folder)})`);
  try {
    rmSync(join(folder, "lock"));
    await expect(lockFolder(folder)).rejects.toThrow(`in use by another process (${holder.pid})`);
    expect(existsSync(join(folder, "lock"))).toBe(false);
  } finally {
    await holder.end();
  }
  const own = await lockFolder(folder);
  rmSync(join(folder, "lock"));
  await expect(lockFolder(folder)).rejects.toThrow("already open in this process");
  await own.release();
  await (await lockFolder(folder)).release();
});

describe("a folder that takes no socket", () => {
  test("is had by one of a process at a time", async () => {
    const lock = await lockFolder(WITHOUT_SOCKETS);
    await expect(lockFolder(WITHOUT_SOCKETS)).rejects.toThrow("already open in this process");
    await lock.release();
    await (await lockFolder(WITHOUT_SOCKETS)).release();
  });

  test("is had by one process at a time, and free when that ends, however it ends", async () => {
    const holder = await other(`await require("./folder-lock.ts").lockFolder(${JSON.stringify(WITHOUT_SOCKETS)})`);
    await expect(lockFolder(WITHOUT_SOCKETS)).rejects.toThrow(`in use by another process (${holder.pid})`);
    await holder.end();
    await (await lockFolder(WITHOUT_SOCKETS)).release();
  });

  test("is had by its holder when it takes sockets again", async () => {
    const holder = await other(`require("node:fs").openSync(${JSON.stringify(folder)}, "r")`);
    await expect(lockFolder(folder)).rejects.toThrow(`in use by another process (${holder.pid})`);
    expect(existsSync(join(folder, "lock"))).toBe(false);
    await holder.end();
    await (await lockFolder(folder)).release();
  });
});
