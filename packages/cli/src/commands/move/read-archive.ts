// Reads an export: which resources and objects it holds, and each object when it is needed.
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { isObject, type JsonObject, parseYaml, readJson } from "@orch/schema";
import { CliError } from "../../process/cli-error";
import { type ArchivedKind, type ArchiveHead, FORMAT, FORMAT_VERSION, HEAD_FILE, kindName } from "./archive-form";

/** Place of an object: a file, or a part of the file of lines. */
export type Place = string | { readonly offset: number; readonly length: number };

export interface Archive {
  readonly head: ArchiveHead;
  /** Place of the journal of an import. */
  readonly journalStart: string;
  /** Returns the places of the objects of a resource, in order. */
  places(kind: ArchivedKind): readonly Place[];
  read(place: Place): JsonObject;
}

/** @throws CliError when the path holds no complete export */
export function openArchive(path: string): Archive {
  if (!existsSync(path)) throw new CliError(`the path ${JSON.stringify(path)} does not exist`);
  return statSync(path).isDirectory() ? new FolderArchive(path) : new FileArchive(path);
}

class FolderArchive implements Archive {
  readonly head: ArchiveHead;
  readonly journalStart: string;

  constructor(private readonly folder: string) {
    const path = join(folder, HEAD_FILE);
    if (!existsSync(path)) {
      throw new CliError(
        `${folder} holds no export (there is no ${HEAD_FILE}): use apply -R -f for folders of manifests`,
      );
    }
    this.head = headOf(readFileSync(path, "utf8"), path);
    const missing = this.head.kinds.find(({ objects }) => objects === undefined);
    if (missing !== undefined) {
      throw new CliError(
        `the export in ${folder} is not complete (${kindName(missing)} is missing): repeat the export`,
      );
    }
    this.journalStart = join(folder, ".import");
  }

  places(kind: ArchivedKind): readonly string[] {
    const folder = join(this.folder, kindName(kind));
    return existsSync(folder) ? filesIn(folder) : [];
  }

  read(place: Place): JsonObject {
    const path = place as string;
    return objectOf(readFileSync(path), path, path.endsWith(".json"));
  }
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return /\.(?:ya?ml|json)$/.test(entry.name) ? [path] : [];
  });
}

const PIECE_BYTES = 1024 * 1024;
const NEWLINE = 10;

class FileArchive implements Archive {
  readonly head: ArchiveHead;
  readonly journalStart: string;
  private readonly byKind = new Map<string, Place[]>();
  private readonly fd: number;

  constructor(private readonly path: string) {
    this.fd = openSync(path, "r");
    this.journalStart = `${path}.import`;
    let head: ArchiveHead | undefined;
    const kinds = new Map<string, string>();
    for (const place of linesOf(this.fd)) {
      if (head === undefined) {
        head = headOf(this.text(place), path);
        for (const kind of head.kinds) kinds.set(`${apiVersionOf(kind)} ${kind.kind}`, kindName(kind));
        continue;
      }
      const { apiVersion, kind } = this.read(place);
      const name = kinds.get(`${String(apiVersion)} ${String(kind)}`);
      if (name === undefined)
        throw new CliError(`${path}: the head does not list ${String(kind)} of ${String(apiVersion)}`);
      const places = this.byKind.get(name) ?? [];
      this.byKind.set(name, places);
      places.push(place);
    }
    if (head === undefined) throw new CliError(`${path} holds no export: the file is empty`);
    this.head = head;
    process.once("exit", () => closeSync(this.fd));
  }

  places(kind: ArchivedKind): readonly Place[] {
    return this.byKind.get(kindName(kind)) ?? [];
  }

  read(place: Place): JsonObject {
    const { offset } = place as { readonly offset: number };
    return objectOf(Buffer.from(this.text(place)), `${this.path}, byte ${offset}`, true);
  }

  private text(place: Place): string {
    const { offset, length } = place as { readonly offset: number; readonly length: number };
    const bytes = Buffer.alloc(length);
    readSync(this.fd, bytes, 0, length, offset);
    return bytes.toString("utf8");
  }
}

function* linesOf(fd: number): Generator<{ readonly offset: number; readonly length: number }, void, undefined> {
  const piece = Buffer.alloc(PIECE_BYTES);
  let offset = 0;
  let start = 0;
  for (
    let read = readSync(fd, piece, 0, PIECE_BYTES, 0);
    read > 0;
    read = readSync(fd, piece, 0, PIECE_BYTES, offset)
  ) {
    const bytes = piece.subarray(0, read);
    const ends: number[] = [];
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) ends.push(offset + at);
    offset += read;
    for (const end of ends) {
      if (end > start) yield { offset: start, length: end - start };
      start = end + 1;
    }
  }
  if (offset > start) yield { offset: start, length: offset - start };
}

const apiVersionOf = ({ group, version }: ArchivedKind): string => (group === "" ? version : `${group}/${version}`);

function headOf(text: string, path: string): ArchiveHead {
  let head: ArchiveHead | undefined;
  try {
    head = JSON.parse(text) as ArchiveHead;
  } catch {
    // Another file.
  }
  if (head?.format !== FORMAT || !Array.isArray(head.kinds)) {
    throw new CliError(`${path} holds no export: use apply -f for manifests`);
  }
  if (head.version !== FORMAT_VERSION) {
    throw new CliError(
      `${path}: the export has the form ${head.version}, and this version of orch reads ${FORMAT_VERSION}`,
    );
  }
  return head;
}

function objectOf(bytes: Buffer, place: string, isJson: boolean): JsonObject {
  let value: unknown;
  try {
    value = isJson ? readJson(bytes.toString("utf8")) : parseYaml(bytes, { isOwn: true }).value;
  } catch (error) {
    throw new CliError(`${place}: ${(error as Error).message}`);
  }
  if (isObject(value) && typeof value["kind"] === "string" && typeof value["apiVersion"] === "string") return value;
  throw new CliError(`${place}: expected an object with apiVersion and kind`);
}
