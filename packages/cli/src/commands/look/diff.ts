// `orch diff`: what an apply of files would change, from dry runs of the server. Source: kubectl's reference, "kubectl diff".
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isCode } from "@orch/machinery";
import { isObject, type JsonObject, VOCABULARY_NAMES, vocabularyOf, yamlText } from "@orch/schema";
import type { Command } from "commander";
import { visibleLines } from "../../output/columns";
import { withoutManagedFields } from "../../output/object-printer";
import { CliError } from "../../process/cli-error";
import { collected } from "../../process/global-options";
import { mayColor } from "../../process/io";
import { addKustomize } from "../../resources/kustomize";
import { readManifests } from "../../resources/manifests";
import type { Session } from "../../session/session";

interface Options {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
  readonly forceConflicts?: boolean;
  readonly fieldManager?: string;
  readonly showManagedFields?: boolean;
}

interface Pair {
  readonly name: string;
  readonly live: string;
  readonly merged: string;
}

/** Exit codes of diff: 1 tells that there is a difference, more than 1 is an error. */
const DIFFERENT = 1;
const FAILED = 2;
const TRIES = 4;
const CONTEXT_LINES = 3;
const EXAMPLES = `
Examples:
  orch diff -f deployment.yaml
  cat service.json | orch diff -f -

The exit code is 0 without differences, 1 with differences, and 2 after an error.`;

export function define(command: Command, session: Session): void {
  command
    .option("-f, --filename <path>", "file, folder or URL; may be repeated", collected)
    .option("-R, --recursive", "also read the folders within the folders of -f")
    .option("--server-side", "compare with a server-side apply, as always")
    .option("--force-conflicts", "compare with an apply that takes fields over from other managers")
    .option("--field-manager <name>", "name of the field manager")
    .option("--show-managed-fields", "also compare metadata.managedFields")
    .addHelpText("after", EXAMPLES);
  addKustomize(command);
  command.action(async (options: Options) => {
    try {
      await diff(session, options);
    } catch (error) {
      session.exitCode = FAILED;
      throw error;
    }
  });
}

async function diff(session: Session, options: Options): Promise<void> {
  const { filename = [], recursive = false } = options;
  if (filename.length === 0) throw new CliError("name a file with -f, such as orch diff -f deployment.yaml");
  const command = externalProgram(session);
  const folders = command && foldersOfPairs();
  let count = 0;
  try {
    for await (const { source, object } of readManifests(filename, session.io, {
      recursive,
      timeoutMs: session.requestTimeoutMs(),
    })) {
      const pair = await pairOf(session, source, object, options);
      if (pair.live === pair.merged) continue;
      count += 1;
      if (folders === undefined) await writeDifference(session, pair);
      else {
        if (pair.live !== "") writeFileSync(join(folders.live, pair.name), pair.live);
        if (pair.merged !== "") writeFileSync(join(folders.merged, pair.name), pair.merged);
      }
    }
    if (command === undefined || folders === undefined) session.exitCode = count > 0 ? DIFFERENT : 0;
    else session.exitCode = await runProgram([...command, folders.live, folders.merged]);
  } finally {
    for (const folder of Object.values(folders ?? {})) rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the texts of the live object, and of the object after an apply. */
async function pairOf(session: Session, source: string, object: JsonObject, options: Options): Promise<Pair> {
  const catalog = await session.catalog();
  const names = await session.vocabulary();
  const type = await catalog.forKind(String(object["apiVersion"]), String(object["kind"]));
  const { name, namespace } = isObject(object["metadata"]) ? object["metadata"] : {};
  if (typeof name !== "string") throw new CliError(`${source}: metadata.name is not set`);
  const where = typeof namespace === "string" && namespace !== "" ? namespace : session.namespace;
  const all = catalog.client.resource(type);
  const client = type.namespaced ? all.namespace(where) : all;
  const fieldManager = options.fieldManager ?? names.fieldManagers.orchctl;
  let force = options.forceConflicts === true;
  for (let tries = 1; ; tries += 1) {
    const live = await client.find(name, { signal: session.signal });
    const version = isObject(live?.["metadata"]) ? live["metadata"]["resourceVersion"] : undefined;
    const metadata: JsonObject = {
      ...(object["metadata"] as JsonObject),
      ...(type.namespaced && { namespace: where }),
    };
    // The last try compares with whatever version there is.
    if (tries < TRIES && version !== undefined) metadata["resourceVersion"] = version;
    try {
      const merged = await client.apply(
        { ...object, metadata },
        { fieldManager, dryRun: true, force, signal: session.signal },
      );
      const group = type.group === "" ? "" : `${type.group}.`;
      const file = `${group}${type.version}.${type.kind}.${type.namespaced ? where : ""}.${name}`;
      return { name: file, ...textsOf(live, merged, options) };
    } catch (error) {
      if (!isCode(error, 409)) throw error;
      const isConflict = error.message.startsWith("Apply failed with");
      if (isConflict && !force) {
        session.warn(`${source}: an apply needs --force-conflicts: ${error.message}`);
        force = true;
      } else if (isConflict || tries >= TRIES) throw error;
    }
  }
}

function textsOf(live: JsonObject | undefined, merged: JsonObject, { showManagedFields }: Options): Omit<Pair, "name"> {
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
