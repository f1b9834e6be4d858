// Table of the figures: those of this server, and their ratios to the bare server, the built-in kind and the other
// server.

const COLUMNS = [
  "scenario",
  "per second",
  "p50 ms",
  "p99 ms",
  "CPU µs/op",
  "to bare",
  "to built-in",
  "MiB",
  "start ms",
  "the other",
  "to the other",
];

/** @param results by scenario name: `{ ours, bare, builtIn, other, notes }` */
export function tableOf(results) {
  const rows = Object.entries(results).map(([name, { ours, bare, builtIn, other }]) => [
    name,
    number(ours.perSecond),
    number(ours.p50Ms),
    number(ours.p99Ms),
    number(ours.cpuMicrosPerOperation),
    times(timesOf(ours, bare)),
    times(timesOf(ours, builtIn)),
    number(ours.mebibytes),
    number(ours.milliseconds),
    number(other?.cpuMicrosPerOperation ?? other?.p50Ms),
    times(timesOf(ours, other)),
  ]);
  const lines = [COLUMNS, ...rows];
  const widths = COLUMNS.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const table = lines.map((line) => line.map((cell, column) => pad(cell, widths[column], column)).join("  "));
  return [...table, ...notes(results)].join("\n");
}

function notes(results) {
  const idle = results["watches-idle-10000"]?.ours;
  const inProcess = results["start-in-process"]?.ours;
  return [
    ...Object.entries(results).flatMap(([name, { notes = [] }]) => notes.map((note) => `${name}: ${note}`)),
    ...(idle === undefined
      ? []
      : [`idle watches: ${number(idle.kibibytesPerWatch)} KiB a watch, ${number(idle.idleCpuPercent)} % of a core`]),
    ...(inProcess === undefined
      ? []
      : [`second server in the same process: ${number(inProcess.secondMilliseconds)} ms`]),
  ];
}

/** Main figures of a scenario, in order of preference. */
const MAIN = ["cpuMicrosPerOperation", "milliseconds", "mebibytes", "p50Ms"];

/** Returns the ratio of the main figure that both have; undefined when there is none. */
export function timesOf(figures = {}, others = {}) {
  const name = MAIN.find((each) => figures[each] !== undefined && others[each] !== undefined);
  return name === undefined ? undefined : figures[name] / others[name];
}

const times = (ratio) => (ratio === undefined ? "" : `${ratio.toFixed(2)}x`);

function number(value) {
  if (value === undefined) return "";
  if (value >= 100) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(value >= 10 ? 1 : 2);
}

function pad(text, width, column) {
  return column === 0 ? text.padEnd(width) : text.padStart(width);
}
