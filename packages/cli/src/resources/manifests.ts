// Objects of files: paths, folders, URLs and standard input. Source: cli-runtime/pkg/resource/visitor.go.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { systemFault } from "@orch/platform";
import { isObject, type JsonObject, parseYaml, YamlError } from "@orch/schema";
import { CliError } from "../process/cli-error";
import { fileFault } from "../process/file-fault";
import type { Io } from "../process/io";
import { builtKustomization, kustomizationOf } from "./kustomize";

/** An object and the place that it comes from, for messages. */
export interface ManifestObject {
  readonly source: string;
  readonly object: JsonObject;
}

export interface ManifestOptions {
  /** Also read the folders within folders. Default: false. */
  readonly recursive?: boolean;
  /** Time to read a URL. Default: two minutes. */
  readonly timeoutMs?: number | undefined;
  /** Takes the errors of files and documents, after which the next ones are read. Default: the first error is thrown. */
  readonly onError?: (error: CliError) => void;
}

const MANIFEST_FILE = /\.(?:ya?ml|json)$/;
const URL_START = /^https?:\/\//;
const URL_TRIES = 3;
/** Time to read a URL without --request-timeout. */
const URL_TIMEOUT_MS = 120_000;
/** Maximum size of the text at a URL. */
const URL_BYTES_MAX = 32 * 1024 * 1024;
/** Maximum size of what a file or standard input may hold. */
const BYTES_MAX = 256 * 1024 * 1024;

/**
 * Yields the objects of all documents in the order of the arguments; the items of a list each for themselves. Files are
 * read one after the other.
 * @throws CliError that names the file, the document and the remedy; for a path that does not exist in any case
 */
export async function* readManifests(
  paths: readonly string[],
  io: Io,
  { recursive = false, timeoutMs, onError }: ManifestOptions = {},
): AsyncGenerator<ManifestObject, void, undefined> {
  const kustomizations = paths.filter((path) => kustomizationOf(path) !== undefined);
  if (kustomizations.length > 0 && paths.length > 1)
    throw new CliError("only one of -f and -k can be given, and -k once");
  for (const path of paths) {
    const folder = kustomizationOf(path);
    if (folder !== undefined) yield* objectsOf(folder, await builtKustomization(folder, io), onError);
    else if (path === "-") yield* objectsOf("standard input", await standardInput(io), onError);
    else if (URL_START.test(path)) yield* objectsOf(path, await download(path, timeoutMs), onError);
    else for (const file of filesOf(path, recursive)) yield* objectsOf(file, textOfFile(file), onError);
  }
}

function filesOf(path: string, recursive: boolean): string[] {
  const found = statistics(path);
  if (!found.isDirectory()) return [path];
  const files = filesIn(path, recursive);
  if (files.length > 0) return files;
  throw new CliError(
    `${path}: the folder has no .yaml, .yml or .json files${recursive ? "" : "; -R reads its folders"}`,
  );
}

function filesIn(folder: string, recursive: boolean): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return recursive ? filesIn(path, recursive) : [];
    return MANIFEST_FILE.test(entry.name) ? [path] : [];
  });
}

function statistics(path: string) {
  try {
    return statSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      throw new CliError(`the path ${JSON.stringify(path)} does not exist`);
    throw new CliError(fileFault(error, path));
  }
}

/** Returns the text of a file, or of standard input for `-`. @throws CliError */
export async function readText(path: string, io: Io): Promise<string> {
  return path === "-" ? standardInput(io) : textOfFile(path);
}

function textOfFile(path: string): string {
  try {
    if (statSync(path).size > BYTES_MAX)
      throw new CliError(`${path}: the file is larger than ${BYTES_MAX} bytes: split it`);
    return readFileSync(path, "utf8");
  } catch (error) {
    throw error instanceof CliError ? error : new CliError(fileFault(error, path));
  }
}

async function standardInput({ stdin }: Io): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stdin as AsyncIterable<Buffer | string>) {
    const bytes = Buffer.from(piece);
    length += bytes.length;
    if (length > BYTES_MAX) throw new CliError(`standard input is larger than ${BYTES_MAX} bytes: split it`);
    pieces.push(bytes);
  }
  return Buffer.concat(pieces).toString("utf8");
}

async function download(url: string, timeoutMs = URL_TIMEOUT_MS): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs);
  for (let tries = 1; ; tries += 1) {
    let why: string;
    try {
      const answer = await fetch(url, { signal });
      if (answer.ok) return await bodyOf(url, answer);
      await answer.body?.cancel();
      why = `the server answered ${answer.status}`;
      if (answer.status < 500) throw new CliError(`unable to read URL ${JSON.stringify(url)}: ${why}`);
    } catch (error) {
      if (error instanceof CliError) throw error;
      why = systemFault((error as Error).cause ?? error);
    }
    if (tries === URL_TRIES || signal.aborted) throw new CliError(`unable to read URL ${JSON.stringify(url)}: ${why}`);
  }
}

/** @throws CliError for a body that is too long */
async function bodyOf(url: string, { body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > URL_BYTES_MAX)
      throw new CliError(`unable to read URL ${JSON.stringify(url)}: it has more than ${URL_BYTES_MAX} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** The text after a syntax error is not read: where the next document begins is not known. */
function* objectsOf(
  source: string,
  text: string,
  onError: ManifestOptions["onError"],
): Generator<ManifestObject, void, undefined> {
  let number = 0;
  for (let rest: string | undefined = text; rest !== undefined; ) {
    number += 1;
    const end = endOfJson(rest);
    const at: string = end === undefined ? rest : rest.slice(0, end);
    const before: number = text.length - rest.length;
    const document = told(onError, () => parsed(source, at, before, text));
    const value = document?.value ?? null;
    const place = `${source}, document ${number}`;
    if (value !== null) yield* told(onError, () => [...manifestObjects(place, source, value)]) ?? [];
    const next = document?.problems.find(({ kind }) => kind === "furtherDocument");
    rest = end === undefined ? next && at.slice(next.offset) : rest.slice(end);
  }
}

/** Parts of JSON, as far as they tell where an object ends. */
const JSON_PART = /"(?:[^"\\]|\\.)*"|[{}]/gs;

/** Returns the end of a JSON object that another one follows without a separator; undefined when there is none. */
function endOfJson(text: string): number | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  let depth = 0;
  for (const { 0: part, index } of text.matchAll(JSON_PART)) {
    if (part === "{") depth += 1;
    else if (part === "}") depth -= 1;
    if (depth === 0) return /^\s*\{/.test(text.slice(index + 1)) ? index + 1 : undefined;
  }
  return undefined;
}

/** Runs a step. @returns undefined when it failed and the error was taken */
function told<T>(onError: ManifestOptions["onError"], step: () => T): T | undefined {
  try {
    return step();
  } catch (error) {
    if (onError === undefined || !(error instanceof CliError)) throw error;
    onError(error);
    return undefined;
  }
}

function parsed(source: string, text: string, before: number, whole: string): ReturnType<typeof parseYaml> {
  try {
    return parseYaml(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const place = error.place;
    const first = before === 0 ? 0 : whole.slice(0, before).split("\n").length - 1;
    const where = place === undefined ? "" : `line ${place.line + first}, column ${place.column}: `;
    throw new CliError(`${source}: ${where}${error.why}`);
  }
}

function* manifestObjects(place: string, source: string, value: unknown): Generator<ManifestObject, void, undefined> {
  if (!isObject(value))
    throw new CliError(`${place}: expected an object, not ${Array.isArray(value) ? "a list" : typeof value}`);
  const { apiVersion, kind, items } = value;
  if (typeof kind !== "string" || kind === "")
    throw new CliError(`${place}: Object 'Kind' is missing: kind is not set`);
  if (typeof apiVersion !== "string" || apiVersion === "") throw new CliError(`${place}: apiVersion is not set`);
  if (!kind.endsWith("List") || !Array.isArray(items)) {
    yield { source, object: value };
    return;
  }
  const ofItems = { apiVersion, kind: kind.slice(0, -"List".length) };
  for (const item of items as unknown[]) {
    const whole = isObject(item) && kind !== "List" ? { ...ofItems, ...item } : item;
    yield* manifestObjects(place, source, whole);
  }
}
