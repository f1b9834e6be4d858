// Writes docs/flags.md from the help texts of the programs. Run it after `make build` when a flag has changed; with
// --check, it writes nothing and exits with 1 when the page is out of date.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = join(root, "docs/flags.md");

const PROGRAMS = [
  { name: "orch-apiserver", heading: "API server", command: [], opening: "Flags of `orch-apiserver`." },
  {
    name: "orch-apiserver",
    heading: "Recovery and restoration",
    command: ["restore"],
    opening:
      "Flags of `orch-apiserver restore` and `orch-apiserver recover`. [Backup and restore](backup.md) describes the commands.",
  },
  {
    name: "orch-controller-manager",
    heading: "Controller manager",
    command: [],
    opening: "Flags of `orch-controller-manager`.",
  },
];

const OPENING = `# Flags

\`scripts/write-flags-page.mjs\` writes this page from the help texts of the programs. Each program prints its own with \`--help\`.

\`orch-standalone\` takes the flags of both programs. A flag that both programs have is the API server's.

A flag is given as \`--name=value\` or \`--name value\`. A boolean flag without a value is true. Flags of type \`strings\` take a
comma-separated list, and may be repeated. Flags of type \`stringArray\` take one value each, and may be repeated. Durations are written
as in \`1h30m\`, \`10s\` or \`500ms\`. Flags are taken in the spelling of either vocabulary; [names.md](names.md#flags) has the flags
whose names differ.

Flags under "Accepted without effect" are taken so that command lines of the Kubernetes programs work. A program logs a warning when
it is given one that a deployment relies on.
`;

const escaped = (text) => text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("*", "\\*");

/** The help text leaves out the default of a boolean flag that is off. */
function shown(type, value = type === "" ? "false" : undefined) {
  return value === undefined ? "" : `\`${value}\``;
}

function row(name, type, text) {
  const [, description, value] = /^(.*?)(?: \(default (.*)\))?$/.exec(text);
  return [`\`--${name}\``, type || "bool", shown(type, value), escaped(description)];
}

function sectionsOf({ name, command }) {
  const help = execFileSync(join(root, "node_modules/.bin", name), [...command, "--help"], { encoding: "utf8" });
  const sections = [];
  // A section is a heading at the left margin, then flags with wrapped descriptions.
  for (const part of help.split(/\n(?=[A-Z][A-Za-z ]*:\n {2}--)/).slice(1)) {
    const [heading, ...flags] = part.split(/\n(?= {2}--)/);
    const rows = flags.map((flag) => {
      const [first, ...lines] = flag.split("\n\n")[0].trimEnd().split("\n"); // other sections follow after an empty line
      const [, flagName, type] = /^ {2}--(\S+) ?(\S*)$/.exec(first);
      return row(flagName, type, lines.map((line) => line.trim()).join(" "));
    });
    sections.push({ heading: heading.slice(0, -1), rows });
  }
  return sections;
}

/** Returns the gates that the help text lists after the flags: name, history and effect each. */
function gatesOf({ name, command }) {
  const help = execFileSync(join(root, "node_modules/.bin", name), [...command, "--help"], { encoding: "utf8" });
  return help
    .split(/\n(?=[A-Z][A-Za-z ]*:\n {2}[A-Z])/)
    .slice(1)
    .map((part) => {
      const [heading, ...gates] = part.split(/\n(?= {2}[A-Z])/);
      const rows = gates.map((gate) => {
        const [first, ...lines] = gate.trimEnd().split("\n");
        const [, history, effect = ""] = /^([^:]*)(?:: (.*))?$/.exec(lines.map((line) => line.trim()).join(" "));
        return [`\`${first.trim()}\``, history, escaped(effect)];
      });
      return { heading: heading.slice(0, -1), rows };
    });
}

const GATES_OPENING = {
  "Feature gates":
    "Gates of `--feature-gates` that have an effect, with the releases in which they reached each stage. Alpha gates are off by default,\nbeta gates are on unless the history says otherwise. A gate that is generally available, or locked, cannot be changed.",
  "Feature gates without effect":
    "`--feature-gates` also takes these gates of Kubernetes, in the releases that have them. They have no effect in the API server: they belong\nto other components, what they enable is always on, or it does not exist here. When such a gate is enabled by name and promises a\nprotection that does not exist here, the server logs a warning.",
};

const HEAD = ["flag", "type", "default", "meaning"];

/** Returns a table with aligned columns, as the formatter of the repository writes one. */
function table(rows, head = HEAD) {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
  const line = (cells, fill) => `| ${cells.map((cell, column) => cell.padEnd(widths[column], fill)).join(" | ")} |`;
  return [
    line(head, " "),
    line(
      head.map(() => ""),
      "-",
    ),
    ...rows.map((cells) => line(cells, " ")),
  ].join("\n");
}

const text = [
  OPENING,
  ...PROGRAMS.flatMap((program) => [
    `## ${program.heading}\n\n${program.opening}\n`,
    ...sectionsOf(program).map(({ heading, rows }) => `### ${heading}\n\n${table(rows)}\n`),
    ...gatesOf(program).map(({ heading, rows }) => {
      const columns = rows.some((row) => row[2] !== "") ? 3 : 2;
      const cells = rows.map((row) => row.slice(0, columns));
      const head = ["gate", "history", "effect"].slice(0, columns);
      return `### ${heading}\n\n${GATES_OPENING[heading]}\n\n${table(cells, head)}\n`;
    }),
  ]),
].join("\n");

if (!process.argv.includes("--check")) {
  writeFileSync(page, text);
} else if (readFileSync(page, "utf8") !== text) {
  console.error("docs/flags.md is out of date: run node scripts/write-flags-page.mjs");
  process.exitCode = 1;
}
