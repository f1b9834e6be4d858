// Writes an export as a stream: one file per object in a folder, or JSON lines in one file. An export that was stopped
// continues with the first resource that is not complete.
import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "@orch/platform";
import { type JsonObject, type JsonValue, writeJson, yamlText } from "@orch/schema";
import { metadataOf } from "../../output/server-table";
import { CliError } from "../../process/cli-error";
import { type ArchivedKind, type ArchiveHead, fileName, HEAD_FILE, kindName } from "./archive-form";

export type FileFormat = "yaml" | "json";

export interface ArchiveWriter {
  /** Tells whether an earlier run has exported the resource. */
  isComplete(kind: ArchivedKind): boolean;
  /** Begins a resource, again if it was begun before. */
  begin(kind: ArchivedKind): void;
  add(object: JsonObject): void;
  end(kind: ArchivedKind): void;
  /** Completes the export. */
  finish(): void;
}

/** Files are for their owner: exports hold secrets. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const PART = ".part";

export class FolderWriter implements ArchiveWriter {
  private readonly head: ArchiveHead;
  private part = "";
  private readonly made = new Set<string>();
  private objects = 0;

  constructor(
    private readonly folder: string,
    head: ArchiveHead,
    private readonly options: { readonly format: FileFormat; readonly overwrite: boolean },
  ) {
    const before = this.headOfBefore();
    const isComplete = before?.kinds.every(({ objects }) => objects !== undefined) === true;
    if (before !== undefined && !options.overwrite) {
      if (isComplete)
        throw new CliError(`${folder} holds an export: name another folder, or replace it with --overwrite`);
      if (before.server !== head.server || before.selection !== head.selection) {
        throw new CliError(
          `${folder} holds a part of another export (${before.server}): name another folder, or replace it with --overwrite`,
        );
      }
    }
    if (before !== undefined && options.overwrite) {
      for (const kind of before.kinds) rmSync(join(folder, kindName(kind)), { recursive: true, force: true });
    }
    const done = options.overwrite ? [] : (before?.kinds.filter(({ objects }) => objects !== undefined) ?? []);
    this.head = {
      ...head,
      kinds: head.kinds.map((kind) => done.find((each) => kindName(each) === kindName(kind)) ?? kind),
    };
    makeFolder(folder, FOLDER_MODE);
    this.writeHead();
  }

  isComplete(kind: ArchivedKind): boolean {
    return this.ofHead(kind)?.objects !== undefined;
  }

  begin(kind: ArchivedKind): void {
    this.part = join(this.folder, kindName(kind) + PART);
    rmSync(this.part, { recursive: true, force: true });
    this.made.clear();
    this.objects = 0;
  }

  add(object: JsonObject): void {
    const { name, namespace } = metadataOf(object);
    const folder = typeof namespace === "string" ? join(this.part, fileName(namespace)) : this.part;
    if (!this.made.has(folder)) {
      makeFolder(folder, FOLDER_MODE);
      this.made.add(folder);
    }
    const text = this.options.format === "yaml" ? yamlText(object) : `${writeJson(object)}\n`;
    writeFileSync(join(folder, `${fileName(String(name))}.${this.options.format}`), text, { mode: FILE_MODE });
    this.objects += 1;
  }

  end(kind: ArchivedKind): void {
    const whole = join(this.folder, kindName(kind));
    rmSync(whole, { recursive: true, force: true });
    if (this.objects > 0) renameSync(this.part, whole);
    const own = this.ofHead(kind);
    if (own !== undefined) own.objects = this.objects;
    this.writeHead();
  }

  finish(): void {}

  private ofHead(kind: ArchivedKind): ArchivedKind | undefined {
    return this.head.kinds.find((each) => kindName(each) === kindName(kind));
  }

  private headOfBefore(): ArchiveHead | undefined {
    const path = join(this.folder, HEAD_FILE);
    if (!existsSync(path)) return undefined;
    try {
      return JSON.parse(readFileSync(path, "utf8")) as ArchiveHead;
    } catch {
      throw new CliError(`${path} is not the head of an export: name another folder`);
    }
  }

  private writeHead(): void {
    const path = join(this.folder, HEAD_FILE);
    writeFileSync(path + PART, `${JSON.stringify(this.head, null, 2)}\n`, { mode: FILE_MODE });
    renameSync(path + PART, path);
  }
}

/** Lines are written together up to this size. */
const BUFFER_BYTES = 256 * 1024;

export class FileWriter implements ArchiveWriter {
  private readonly fd: number;
  private readonly part: string;
  private written = 0;
  private start = 0;
  private pending: Buffer[] = [];
  private pendingBytes = 0;

  constructor(
    private readonly path: string,
    head: ArchiveHead,
    { overwrite }: { readonly overwrite: boolean },
  ) {
    if (existsSync(path) && !overwrite) {
      throw new CliError(`${path} exists: name another file, or replace it with --overwrite`);
    }
    this.part = path + PART;
    makeFolder(dirname(this.part));
    this.fd = openSync(this.part, "w", FILE_MODE);
    this.line(head as unknown as JsonValue);
    this.end();
  }

  isComplete(): boolean {
    return false;
  }

  /** Removes the objects of a resource that is begun again. */
  begin(): void {
    this.pending = [];
    this.pendingBytes = 0;
    ftruncateSync(this.fd, this.start);
    this.written = this.start;
  }

  add(object: JsonObject): void {
    this.line(object);
  }

  end(): void {
    this.flush();
    this.start = this.written;
  }

  finish(): void {
    this.flush();
    closeSync(this.fd);
    renameSync(this.part, this.path);
  }

  private line(value: JsonValue): void {
    const bytes = Buffer.from(`${writeJson(value)}\n`);
    this.pending.push(bytes);
    this.pendingBytes += bytes.length;
    if (this.pendingBytes >= BUFFER_BYTES) this.flush();
  }

  private flush(): void {
    for (const bytes of this.pending) {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.fd, bytes, at, bytes.length - at, this.written + at);
      this.written += bytes.length;
    }
    this.pending = [];
    this.pendingBytes = 0;
  }
}
