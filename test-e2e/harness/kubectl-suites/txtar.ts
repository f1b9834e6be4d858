// Script suites of kubectl in the form of testscript: commands and checks, and files after them in a txtar archive.
// Source: the documentation of the Go packages github.com/rogpeppe/go-internal/testscript and golang.org/x/tools/txtar.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Folders and programs of a script: a checkout, and a folder of its own for its files. */
interface ScriptPlace {
  readonly kubernetes: string;
  readonly work: string;
  /** Program that stands for kubectl. */
  readonly kubectl: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface Output {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

const FILE = /^-- (\S+) --$/;
const RETRIES = 20;
const RETRY_MS = 500;

/** Runs a script up to the first step that fails. @returns that step and its output; undefined when all succeed */
export async function failureOfScript(text: string, place: ScriptPlace): Promise<string | undefined> {
  const lines = text.split("\n");
  const end = lines.findIndex((line) => FILE.test(line));
  if (end >= 0) writeFiles(lines.slice(end), place.work);
  const script = new Script({ ...place, environment: { ...place.environment, WORK: place.work } });
  for (const [at, line] of lines.slice(0, end < 0 ? lines.length : end).entries()) {
    const words = wordsOf(line, script.environment);
    if (words.length === 0) continue;
    const isNegated = words[0] === "!";
    const why = await script.step(isNegated ? words.slice(1) : words, isNegated);
    if (why !== undefined) return `line ${at + 1}: ${line}\n${why}`;
  }
  return undefined;
}

function writeFiles(lines: readonly string[], folder: string): void {
  let name = "";
  const files = new Map<string, string[]>();
  for (const line of lines) {
    const found = FILE.exec(line)?.[1];
    if (found === undefined) files.get(name)?.push(line);
    else {
      name = found;
      files.set(name, []);
    }
  }
  for (const [file, content] of files) writeFileSync(join(folder, file), `${content.join("\n").trimEnd()}\n`);
}

/** Splits a line at blanks. Within quotes, nothing has a meaning but two quotes, which are one. */
export function wordsOf(line: string, environment: ScriptPlace["environment"]): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [part] of line.matchAll(/'(?:[^']|'')*'|#.*|\s+|\$\{?\w+\}?|[^\s'#$]+|./g)) {
    if (part.startsWith("#") && word === undefined) break;
    if (/^\s/.test(part)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (part.startsWith("'")) word = (word ?? "") + part.slice(1, -1).replaceAll("''", "'");
    else if (part.startsWith("$")) word = (word ?? "") + (environment[part.replaceAll(/[${}]/g, "")] ?? "");
    else word = (word ?? "") + part;
  }
  return word === undefined ? words : [...words, word];
}

class Script {
  environment: Record<string, string | undefined>;
  private last: Output = { stdout: "", stderr: "", code: 0 };

  constructor(private readonly place: ScriptPlace) {
    this.environment = { ...place.environment };
  }

  /** @returns why the step failed */
  async step([name = "", ...args]: readonly string[], isNegated: boolean): Promise<string | undefined> {
    switch (name) {
      case "kubectl": {
        // The scripts do not wait for deletions, as their own runner does not.
        const isWaiting = args[0] !== "delete" || args.some((word) => word.startsWith("--wait"));
        this.last = await this.run(isWaiting ? args : [...args, "--wait=false"]);
        return (this.last.code !== 0) === isNegated ? undefined : JSON.stringify(this.last, undefined, 1);
      }
      case "kube-retry":
        return this.retry(args);
      case "stdout":
      case "stderr":
        return new RegExp(args[0] ?? "", "m").test(this.last[name]) === !isNegated
          ? undefined
          : JSON.stringify(this.last, undefined, 1);
      case "cp":
        writeFileSync(this.file(args[1]), args[0] === "stdout" ? this.last.stdout : readFileSync(this.file(args[0])));
        return undefined;
      case "cmp": {
        const [one, other] = args.map((file) => readFileSync(this.file(file), "utf8"));
        return (one === other) === !isNegated ? undefined : `${one}\n${other}`;
      }
      case "env":
        for (const pair of args) this.environment[pair.split("=")[0] as string] = pair.slice(pair.indexOf("=") + 1);
        return undefined;
      default:
        return `the command ${name} is not known`;
    }
  }

  private file(name = ""): string {
    return resolve(this.place.work, name);
  }

  private async retry([resource = "", path = "", expected = ""]: readonly string[]): Promise<string | undefined> {
    let found: Output = this.last;
    for (let tries = 0; tries < RETRIES; tries += 1) {
      found = await this.run(["get", ...resource.split(/\s+/), "-o", `jsonpath=${path}`]);
      if (found.code === 0 && found.stdout.trim() === expected) return undefined;
      await new Promise((next) => setTimeout(next, RETRY_MS));
    }
    return JSON.stringify(found, undefined, 1);
  }

  private run(args: readonly string[]): Promise<Output> {
    const how = { cwd: this.place.kubernetes, env: { ...this.environment } };
    return new Promise((done) => {
      const child = execFile(this.place.kubectl, args, how, (error, stdout, stderr) =>
        done({ stdout, stderr, code: error === null ? 0 : Number(error.code ?? 1) }),
      );
      child.stdin?.end();
    });
  }
}
