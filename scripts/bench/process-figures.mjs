// What the kernel counts of a process.
import { readFileSync } from "node:fs";

const MICROS_PER_TICK = 10_000; // Linux counts in hundredths of a second here

/** User and system time so far, of all its threads and of the workers that it watches over. */
export const cpuMicros = (pid) => withWorkers(pid).reduce((sum, each) => sum + ownMicros(each), 0);

/** It and the processes that it has started, in which it serves. */
export function withWorkers(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return [pid, ...(children === "" ? [] : children.split(" ").map(Number))];
}

function ownMicros(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * MICROS_PER_TICK;
}

/** Resident memory. */
export const residentMebibytes = (pid) => ofAll(pid, "VmRSS");

/** The most that has been resident at any time. */
export const peakMebibytes = (pid) => ofAll(pid, "VmHWM");

const ofAll = (pid, figure) => withWorkers(pid).reduce((sum, each) => sum + mebibytesOf(each, figure), 0);

function mebibytesOf(pid, figure) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${figure}:\\s+(\\d+) kB$`, "m").exec(status)[1]) / 1024;
}
