// The table as a chart: for each scenario the ratios of this server and of the other server to the bare server, on a
// logarithmic scale.
import { timesOf } from "./report.mjs";

const [ROW, BAR, TOP, LABEL, WIDTH, MARGIN] = [34, 10, 58, 170, 420, 60];
const COLOURS = { ours: "#2f6fb2", other: "#b2692f", line: "#d8d8d8", text: "#222222" };

/** @param other name of the other server; undefined when there is none @returns SVG */
export function pictureOf(results, { title, other }) {
  const rows = Object.entries(results)
    .map(([name, { ours, bare, other: others }]) => ({ name, ours: timesOf(ours, bare), other: timesOf(others, bare) }))
    .filter((row) => row.ours !== undefined);
  const most = Math.max(2, ...rows.flatMap((row) => [row.ours, row.other ?? 0]));
  const powers = Math.ceil(Math.log2(most));
  const x = (times) => LABEL + (Math.max(0, Math.log2(times)) / powers) * WIDTH;
  const height = TOP + rows.length * ROW + 10;
  const grid = Array.from({ length: powers + 1 }, (_, power) => {
    const at = x(2 ** power);
    return `<line x1="${at}" y1="${TOP - 8}" x2="${at}" y2="${height - 10}" stroke="${COLOURS.line}"/>${text(at, TOP - 12, `${2 ** power}x`, "middle")}`;
  });
  const key = other === undefined ? "" : ` — orange: ${other}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${LABEL + WIDTH + MARGIN}" height="${height}" font-family="sans-serif" font-size="11">`,
    '<rect width="100%" height="100%" fill="white"/>',
    text(10, 16, title),
    text(
      10,
      32,
      `Processor time an operation, times that of a bare HTTPS server in the same run — blue: this server${key}`,
    ),
    ...grid,
    ...rows.map((row, at) => rowOf(row, TOP + at * ROW, x)),
    "</svg>",
    "",
  ].join("\n");
}

function rowOf({ name, ours, other }, y, x) {
  const bar = (times, top, colour) =>
    `<rect x="${LABEL}" y="${top}" width="${(x(times) - LABEL).toFixed(1)}" height="${BAR}" fill="${colour}"/>${text(x(times) + 4, top + BAR - 1, `${times.toFixed(1)}x`)}`;
  const others = other === undefined ? "" : bar(other, y + BAR + 2, COLOURS.other);
  return `${text(LABEL - 8, y + BAR, name, "end")}${bar(ours, y, COLOURS.ours)}${others}`;
}

function text(x, y, words, anchor = "start") {
  const escaped = words.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="${COLOURS.text}">${escaped}</text>`;
}
