// Kernel statistics of a process and all of its descendants.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

const MICROS_PER_TICK = 10_000; // Linux counts in hundredths of a second
const LISTENING = "0A";

/** Returns the user and system time of all threads so far. */
export const cpuMicros = (pid) => sumOf(pid, ownCpuMicros);

/** @returns a function that returns the processor time since the call; undefined for a process of another machine */
export function cpuMeter(pid) {
  const before = pid === undefined ? 0 : cpuMicros(pid);
  return () => (pid === undefined ? undefined : cpuMicros(pid) - before);
}

/** Returns the resident memory. */
export const residentMebibytes = (pid) => sumOf(pid, (each) => mebibytesOf(each, "VmRSS"));

/** Returns the peak resident memory. */
export const peakMebibytes = (pid) => sumOf(pid, (each) => mebibytesOf(each, "VmHWM"));

/** Returns the process of this machine that listens on a port; undefined when there is none. */
export function processOn(port) {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = ["tcp", "tcp6"].flatMap((table) => readFileSync(`/proc/net/${table}`, "utf8").split("\n").slice(1));
  const sockets = rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(ending) && state === LISTENING)
    .map((columns) => `socket:[${columns[9]}]`);
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return all.map(Number).find((pid) => openFiles(pid).some((file) => sockets.includes(file)));
}

function openFiles(pid) {
  return unlessGone(() => readdirSync(`/proc/${pid}/fd`).map((file) => readlinkSync(`/proc/${pid}/fd/${file}`))) ?? [];
}

function sumOf(pid, figureOf) {
  const children = unlessGone(() => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")) ?? "";
  const others = children.split(" ").filter((child) => child !== "");
  return others.reduce((sum, child) => sum + (unlessGone(() => sumOf(child, figureOf)) ?? 0), figureOf(pid));
}

function ownCpuMicros(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * MICROS_PER_TICK;
}

function mebibytesOf(pid, figure) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${figure}:\\s+(\\d+) kB$`, "m").exec(status)[1]) / 1024;
}

/** Returns undefined when the process or the file disappears while it is read. */
function unlessGone(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}
