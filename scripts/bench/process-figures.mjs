// What the kernel counts of a process.
import { readFileSync } from "node:fs";

const MICROS_PER_TICK = 10_000; // Linux counts in hundredths of a second here

/** User and system time of all its threads so far. */
export function cpuMicros(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * MICROS_PER_TICK;
}

/** Resident memory. */
export const residentMebibytes = (pid) => mebibytesOf(pid, "VmRSS");

/** The most that has been resident at any time. */
export const peakMebibytes = (pid) => mebibytesOf(pid, "VmHWM");

function mebibytesOf(pid, figure) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${figure}:\\s+(\\d+) kB$`, "m").exec(status)[1]) / 1024;
}
