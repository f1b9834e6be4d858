// Finds the process that listens at a port, from the tables of Linux in /proc.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** Code of the state LISTEN in /proc/net/tcp. Source: Linux, include/net/tcp_states.h. */
const LISTEN = "0A";

/** @returns name and id of the process; undefined on other systems, and for processes of other users */
export function portOwner(port) {
  try {
    const sockets = new Set(["tcp", "tcp6"].flatMap((table) => listeningAt(port, table)));
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      if (holdsOne(pid, sockets)) return `${readFileSync(`/proc/${pid}/comm`, "utf8").trim()} (process ${pid})`;
    }
  } catch {
    // Without the tables, the port is known to be in use and its owner is not.
  }
  return undefined;
}

/** Returns the listening sockets at a port as their names in /proc/PID/fd. */
function listeningAt(port, table) {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  return readFileSync(`/proc/net/${table}`, "utf8")
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = "", , state]) => state === LISTEN && local.endsWith(`:${hex}`))
    .map((fields) => `socket:[${fields[9]}]`);
}

function holdsOne(pid, sockets) {
  const folder = join("/proc", pid, "fd");
  try {
    return readdirSync(folder).some((descriptor) => sockets.has(readlinkSync(join(folder, descriptor))));
  } catch {
    return false; // it has exited, or belongs to another user
  }
}
