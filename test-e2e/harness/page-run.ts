// Runs the code blocks of a page as a reader would: in order, in one shell, in a folder with the repository's files.
// docs/README.md describes the marks and the environments.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { freePorts } from "./free-port";
import { type Block, markOf, type Page } from "./markdown";
import { tool, type Workplace } from "./processes";

/** Ready messages of the programs: the API server's, and the controller manager's. */
const READY = '"url":"https://127.0.0.1:|"message":"became leader"';
const READY_TIMEOUT_S = 240;
/** Ports of programs that are started without one. */
const DEFAULT_PORTS = { "orch-apiserver": 6443, "orch-standalone": 6443, "orch-controller-manager": 10257 } as const;
const WRITTEN_PORT = /(?:(?:127\.0\.0\.1|localhost):|--(?:secure-)?port[= ])(\d{4,5})\b/g;
const OUTPUT_TAIL = 4000;

/** Clears what `make test ARGS=…` passes to nested makes, which a reader does not have. */
const NO_MAKE = { MAKEFLAGS: "", MAKEOVERRIDES: "", MAKELEVEL: "", ARGS: "" };

export interface PageOptions {
  /** Path of the page, for messages and for the name of the log. */
  readonly path: string;
  /** Current directory of the commands. */
  readonly folder: string;
  /** Ports of running servers, by the port that the page writes. All other ports are replaced by free ones. */
  readonly ports?: Readonly<Record<number, number>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** @throws Error with the line and the output of the block that failed, or that runs when the time is up */
export async function runPage(workplace: Workplace, page: Page, options: PageOptions): Promise<void> {
  const ports = await portsOf(page, options.ports ?? {});
  const scripts = workplace.folder();
  const steps = page.blocks.flatMap((block, index) => stepOf(block, { index, ports, options, scripts }));
  writeFileSync(join(scripts, "page.sh"), [PREPARATION, ...steps, ""].join("\n"));
  const name = options.path.replaceAll("/", "-").replace(/\.md$/, "");
  const shell = workplace.start({
    name,
    program: "bash",
    args: [join(scripts, "page.sh"), scripts],
    cwd: options.folder,
    env: { ...process.env, ...NO_MAKE, PATH: `${dirname(tool("kubectl"))}:${process.env["PATH"]}`, ...options.env },
  });
  const killer = setTimeout(() => shell.kill(), options.timeoutMs);
  const atExit = () => killPrograms(scripts);
  process.once("exit", atExit);
  try {
    const end = await shell.ended;
    const reason = end === "SIGKILL" ? `not done after ${options.timeoutMs} ms` : shell.logTail;
    if (end !== 0) throw new Error(failure(scripts, { path: options.path, reason }));
  } finally {
    clearTimeout(killer);
    process.off("exit", atExit);
    killPrograms(scripts);
  }
  for (const [index, block] of page.blocks.entries()) verifyOutput(page, { index, block, scripts, path: options.path });
}

/** `$1` is the folder of the blocks. `at` holds the line of the running block, `programs` the process groups. */
const PREPARATION = `set -euo pipefail
blocks=$1
set --
touch "$blocks/programs"
stop_programs() {
  local group
  for group in $(cat "$blocks/programs"); do kill -TERM -- "-$group" 2>/dev/null || true; done
  for group in $(cat "$blocks/programs"); do
    while kill -0 -- "-$group" 2>/dev/null; do sleep 0.05; done
  done
  : > "$blocks/programs"
}
start_program() {
  set -m
  ( source "$blocks/$1.sh" ) > "$blocks/$1.out" 2>&1 < /dev/null &
  set +m
  local group=$! end=$((SECONDS + ${READY_TIMEOUT_S}))
  disown $group # a block that waits for its own jobs does not wait for the program
  echo $group >> "$blocks/programs"
  until grep -qE -- "$2" "$blocks/$1.out"; do
    kill -0 $group 2>/dev/null || { echo "the program ended before it was ready"; exit 1; }
    [ $SECONDS -lt $end ] || { echo "the program is not ready: its output does not match $2"; exit 1; }
    sleep 0.1
  done
}
fail_block() {
  local code=0
  set +e
  ( set -euo pipefail; source "$blocks/$1.sh" ) > "$blocks/$1.out" 2>&1 < /dev/null
  code=$?
  set -e
  [ $code -ne 0 ] || { echo "the block is marked as failing, and succeeded"; exit 1; }
}
trap stop_programs EXIT`;

interface StepContext {
  readonly index: number;
  readonly ports: ReadonlyMap<number, number>;
  readonly options: PageOptions;
  readonly scripts: string;
}

/** Writes the files of a block, and returns the commands that run it. */
function stepOf(block: Block, { index, ports, options, scripts }: StepContext): string[] {
  if (isNotRunHere(block)) return [];
  const text = withPorts(block.text, ports);
  const file = markOf(block, "file");
  const at = [`echo "${block.line} ${index}" > "$blocks/at"`, ...(markOf(block, "stop") ? ["stop_programs"] : [])];
  if (file !== undefined) {
    const path = join(options.folder, file.name);
    // Written when its turn comes: an earlier block may create or remove the folder.
    writeFileSync(join(scripts, `${index}.file`), text);
    return [...at, `mkdir -p "${dirname(path)}"`, `cp "$blocks/${index}.file" "${path}"`];
  }
  const run = `source "$blocks/${index}.sh" > "$blocks/${index}.out" 2>&1 < /dev/null`;
  switch (block.language) {
    case "sh": {
      const background = markOf(block, "background");
      writeFileSync(join(scripts, `${index}.sh`), background === undefined ? text : withDefaultPorts(text, ports));
      if (background !== undefined) return [...at, `start_program ${index} '${background.until ?? READY}'`];
      return [...at, markOf(block, "fails") === undefined ? run : `fail_block ${index}`];
    }
    case "yaml":
      writeFileSync(join(scripts, `${index}.yaml`), text);
      writeFileSync(join(scripts, `${index}.sh`), `kubectl apply -f "$blocks/${index}.yaml"\n`);
      return [...at, run];
    case "ts": {
      const name = `example-${block.line}`;
      mkdirSync(options.folder, { recursive: true });
      writeFileSync(join(options.folder, `${name}.ts`), text);
      const compile = `npx tsc --ignoreConfig --target es2022 --module nodenext --strict --types node --outDir ${name} ${name}.ts`;
      const start = markOf(block, "compile") === undefined ? `node ${name}/${name}.js` : "";
      writeFileSync(join(scripts, `${index}.sh`), `${compile}\n${start}\n`);
      return [...at, run];
    }
    default:
      return [];
  }
}

const isNotRunHere = (block: Block): boolean =>
  markOf(block, "notRun") !== undefined || markOf(block, "runBy") !== undefined;

async function portsOf(page: Page, known: Readonly<Record<number, number>>): Promise<Map<number, number>> {
  const run = page.blocks.filter((block) => !isNotRunHere(block));
  const written = new Set(run.flatMap(({ text }) => [...text.matchAll(WRITTEN_PORT)].map(([, port]) => Number(port))));
  for (const port of Object.values(DEFAULT_PORTS)) written.add(port);
  const free = await freePorts(written.size);
  return new Map([...written].map((port, index) => [port, known[port] ?? (free[index] as number)]));
}

const withPorts = (text: string, ports: ReadonlyMap<number, number>): string =>
  text.replace(/\b\d{4,5}\b/g, (number) => `${ports.get(Number(number)) ?? number}`);

/** Gives programs that are started without a port a free one. */
function withDefaultPorts(text: string, ports: ReadonlyMap<number, number>): string {
  if (text.includes("--secure-port")) return text;
  const flag = (program: keyof typeof DEFAULT_PORTS) => `--secure-port=${ports.get(DEFAULT_PORTS[program])}`;
  return text
    .replace(/^npx (orch-[a-z-]+)/gm, (start, program) => `${start} ${flag(program as keyof typeof DEFAULT_PORTS)}`)
    .replace(
      /^make run(?: ARGS="?([^"\n]*)"?)?$/gm,
      (_, args = "") => `make run ARGS="${flag("orch-apiserver")} ${args}"`,
    );
}

function failure(scripts: string, { path, reason }: { readonly path: string; readonly reason: string }): string {
  const [line = "?", index = "?"] = readOr(join(scripts, "at"), "? ?").trim().split(" ");
  const output = readOr(join(scripts, `${index}.out`), "").slice(-OUTPUT_TAIL);
  return `${path}:${line}: the block failed: ${reason}\n${output}`;
}

function verifyOutput(
  page: Page,
  { index, block, scripts, path }: { index: number; block: Block; scripts: string; path: string },
): void {
  if (isNotRunHere(block)) return;
  const output = (of: number) => readOr(join(scripts, `${of}.out`), "");
  for (const mark of block.marks) {
    if (mark.kind === "prints" && !mark.pattern.test(output(index)))
      throw new Error(`${path}:${block.line}: the output does not match ${mark.pattern}:\n${output(index)}`);
    if (mark.kind !== "output") continue;
    const missing = firstMissing(block.text, output(lastRun(page.blocks, index)));
    if (missing !== undefined)
      throw new Error(
        `${path}:${block.line}: the output has no line "${missing}":\n${output(lastRun(page.blocks, index))}`,
      );
  }
}

/** Returns the first line of the page that the output does not have in this order. `…` stands for any text. */
function firstMissing(written: string, output: string): string | undefined {
  const plain = (line: string) => line.trim().replace(/\s+/g, " ");
  const printed = output.split("\n").map(plain);
  let from = 0;
  for (const line of written.split("\n").map(plain)) {
    if (line === "" || line === "…") continue;
    const escaped = line.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("…", ".*");
    const at = printed.findIndex((other, place) => place >= from && new RegExp(`^${escaped}$`).test(other));
    if (at < 0) return line;
    from = at + 1;
  }
  return undefined;
}

const lastRun = (blocks: readonly Block[], before: number): number =>
  blocks.findLastIndex(
    (block, at) => at < before && ["sh", "yaml", "ts"].includes(block.language) && markOf(block, "file") === undefined,
  );

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return otherwise;
  }
}

/** Kills the programs that a shell that was itself killed has left. */
function killPrograms(scripts: string): void {
  for (const group of readOr(join(scripts, "programs"), "").split("\n").filter(Boolean)) {
    try {
      process.kill(-Number(group), "SIGKILL");
    } catch {
      // ended already
    }
  }
}
