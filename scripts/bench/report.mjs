// The figures as a table: ours, the bare server's, the incumbent's, and how many times less CPU (or time, or memory) ours takes.

const COLUMNS = [
  "scenario",
  "per second",
  "p50 ms",
  "p99 ms",
  "CPU µs/op",
  "bare µs/op",
  "built-in",
  "MiB",
  "start ms",
  "incumbent",
  "ratio",
];

/** @param results by scenario: `{ ours, bare, incumbent }` */
export function tableOf(results) {
  const rows = Object.entries(results).map(([name, { ours, bare, builtIn, incumbent }]) => [
    name,
    number(ours.perSecond),
    number(ours.p50Ms),
    number(ours.p99Ms),
    number(ours.cpuMicrosPerOperation),
    number(bare?.cpuMicrosPerOperation),
    besideBuiltIn(ours, builtIn),
    number(ours.mebibytes),
    number(ours.milliseconds),
    incumbentText(incumbent),
    ratioText(ours, incumbent),
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

/** How many times the CPU of the built-in kind's. */
function besideBuiltIn(ours, builtIn) {
  return builtIn === undefined ? "" : `${(ours.cpuMicrosPerOperation / builtIn.cpuMicrosPerOperation).toFixed(2)}x`;
}

function incumbentText(incumbent) {
  if (incumbent === undefined) return "";
  const { cpuMicrosPerOperation, perSecond, milliseconds, mebibytes } = incumbent;
  const parts = [
    cpuMicrosPerOperation === undefined ? undefined : `${number(cpuMicrosPerOperation)} µs`,
    perSecond === undefined ? undefined : `${number(perSecond)}/s`,
    milliseconds === undefined ? undefined : `${number(milliseconds)} ms`,
    mebibytes === undefined ? undefined : `${number(mebibytes)} MiB`,
  ];
  return parts.filter((part) => part !== undefined).join(", ");
}

/** The incumbent's cost divided by ours, of the first figure that both have. */
function ratioText(ours, incumbent = {}) {
  const both = ["cpuMicrosPerOperation", "milliseconds", "mebibytes"].find(
    (key) => incumbent[key] !== undefined && ours[key] !== undefined,
  );
  return both === undefined ? "" : `${(incumbent[both] / ours[both]).toFixed(1)}x`;
}

function number(value) {
  if (value === undefined) return "";
  if (value >= 100) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(value >= 10 ? 1 : 2);
}

function pad(text, width, column) {
  return column === 0 ? text.padEnd(width) : text.padStart(width);
}
