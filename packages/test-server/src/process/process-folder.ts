// Temporary folders that belong to one process. A process that was killed leaves its folder behind: the next process that
// makes one of the same kind removes it.
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

const PLACE_DIGITS = 8;

/**
 * Makes an empty folder that only this user may read.
 * @param kind first part of its name, such as `orch-envtest`
 */
export function makeProcessFolder(kind: string): string {
  removeAbandoned(kind);
  return mkdtempSync(join(tmpdir(), `${kind}-${place()}-${process.pid}-`));
}

/** Removes the folders whose process has ended. */
function removeAbandoned(kind: string): void {
  const own = new RegExp(`^${kind}-${place()}-(\\d+)-\\w{6}$`);
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = own.exec(name) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // The folder belongs to another user.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Tells apart the machines and containers that share the folder: each counts its processes by itself. */
function place(): string {
  return createHash("sha256").update(`${hostname()} ${processNamespace()}`).digest("hex").slice(0, PLACE_DIGITS);
}

/** Source: pid_namespaces(7). */
function processNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}
