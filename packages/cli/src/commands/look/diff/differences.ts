// Differences between the objects of a server and what they would become: as a unified diff, or shown by the program that the
// environment names. Source: kubectl's reference, "kubectl diff".
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DiscoveredResource } from "@orch/client";
import { isObject, type JsonObject, VOCABULARY_NAMES, vocabularyOf, yamlText } from "@orch/schema";
import { visibleLines } from "../../../output/columns";
import { withoutManagedFields } from "../../../output/object-printer";
import { CliError } from "../../../process/cli-error";
import { mayColor } from "../../../process/io";
import type { Session } from "../../../session/session";

/** Exit codes: 1 tells that there is a difference, more than 1 is an error. */
const DIFFERENT = 1;
export const FAILED = 2;
const CONTEXT_LINES = 3;

export interface Compared {
  readonly type: DiscoveredResource;
  readonly namespace: string | undefined;
  readonly name: string;
  /** Undefined: the object would be created. */
  readonly live: JsonObject | undefined;
  readonly merged: JsonObject;
}

export class Differences {
  private readonly command: readonly string[] | undefined;
  private readonly folders: { readonly live: string; readonly merged: string } | undefined;
  private count = 0;

  /** @param showManagedFields also compares metadata.managedFields */
  constructor(
    private readonly session: Session,
    private readonly showManagedFields = false,
  ) {
    this.command = externalProgram(session);
    this.folders = this.command && foldersOfPairs();
  }

  /** Shows the difference now, or keeps both texts for the program of the environment. */
  async add({ type, namespace, name, ...objects }: Compared): Promise<void> {
    const group = type.group === "" ? "" : `${type.group}.`;
    const file = `${group}${type.version}.${type.kind}.${namespace ?? ""}.${name}`;
    const { live, merged } = textsOf(objects.live, objects.merged, this.showManagedFields);
    if (live === merged) return;
    this.count += 1;
    if (this.folders === undefined) return writeDifference(this.session, { name: file, live, merged });
    if (live !== "") writeFileSync(join(this.folders.live, file), live);
    if (merged !== "") writeFileSync(join(this.folders.merged, file), merged);
  }

  /** Runs the program of the environment. @returns the exit code of the command */
  async end(): Promise<number> {
    const { command, folders } = this;
    if (command === undefined || folders === undefined) return this.count > 0 ? DIFFERENT : 0;
    return runProgram([...command, folders.live, folders.merged]);
  }

  close(): void {
    for (const folder of Object.values(this.folders ?? {})) rmSync(folder, { recursive: true, force: true });
  }
}

interface Pair {
  readonly name: string;
  readonly live: string;
  readonly merged: string;
}

function textsOf(live: JsonObject | undefined, merged: JsonObject, showManagedFields: boolean): Omit<Pair, "name"> {
  const shown = (object: JsonObject) => (showManagedFields ? object : withoutManagedFields(object));
  const pair = [live === undefined ? undefined : shown(live), shown(merged)] as const;
  const [one, other] = merged["kind"] === "Secret" ? masked(...pair) : pair;
  return { live: one === undefined ? "" : yamlText(one), merged: yamlText(other as JsonObject) };
}

/** Hides the values of secrets; values that differ stay different. */
function masked(live: JsonObject | undefined, merged: JsonObject): readonly [JsonObject | undefined, JsonObject] {
  const [before, after] = [dataOf(live), dataOf(merged)];
  const hide = (data: JsonObject, other: JsonObject, mark: string) =>
    Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, key in other && other[key] !== value ? `*** (${mark})` : "***"]),
    );
  return [
    live && { ...live, ...("data" in live && { data: hide(before, after, "before") }) },
    { ...merged, ...("data" in merged && { data: hide(after, before, "after") }) },
  ];
}

const dataOf = (object: JsonObject | undefined): JsonObject =>
  isObject(object?.["data"]) ? (object["data"] as JsonObject) : {};

async function writeDifference(session: Session, { name, live, merged }: Pair): Promise<void> {
  const { createTwoFilesPatch } = await import("diff");
  const patch = createTwoFilesPatch(`LIVE/${name}`, `MERGED/${name}`, live, merged, undefined, undefined, {
    context: CONTEXT_LINES,
  });
  const lines = patch.split("\n").filter((line) => !line.startsWith("===="));
  const text = [`diff -u -N LIVE/${name} MERGED/${name}`, ...lines].join("\n");
  if (!session.io.stdout.isTTY) session.write(text);
  else session.write(mayColor(session.io.stdout, session.io) ? colored(visibleLines(text)) : visibleLines(text));
}

const COLORS: Readonly<Record<string, string>> = { "+": "32", "-": "31", "@": "36" };

const colored = (text: string): string =>
  text
    .split("\n")
    .map((line) => {
      const color = COLORS[line[0] ?? ""];
      return color === undefined ? line : `\u001b[${color}m${line}\u001b[0m`;
    })
    .join("\n");

/** Returns the program of the environment, in the variable of either vocabulary. */
function externalProgram({ io }: Session): readonly string[] | undefined {
  const names = VOCABULARY_NAMES.map((name) => vocabularyOf(name).environment.orchctlExternalDiff);
  const text = names.map((name) => io.environment[name]).find((each) => each);
  if (text === undefined) return undefined;
  const [program = "", ...args] = text.split(/\s+/).filter((word) => word !== "");
  return [program, ...args.filter((word) => /^[a-zA-Z0-9=-]+$/.test(word))];
}

const foldersOfPairs = () => ({
  live: mkdtempSync(join(tmpdir(), "LIVE-")),
  merged: mkdtempSync(join(tmpdir(), "MERGED-")),
});

function runProgram([program = "", ...args]: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "inherit" });
    child.once("error", (error) =>
      reject(new CliError(`failed to run ${JSON.stringify(program)}: ${error.message}`, FAILED)),
    );
    child.once("close", (code) => resolve(code ?? FAILED));
  });
}
