// `orch config validate`: every fault of the configuration files, each with its line and its remedy.
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { ConfigurationError, parseConfiguration } from "@orch/client";
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from "yaml";
import { ENTRY_FIELD, type EntryList } from "../../../connection/configuration-entries";
import { ConfigurationFiles } from "../../../connection/configuration-files";
import { visible } from "../../../output/columns";
import { CliError } from "../../../process/cli-error";
import { likelyText } from "../../../process/likely-text";
import type { Session } from "../../../session/session";
import { entryFaults } from "./entry-faults";
import { FIELDS } from "./fields";

/** A fault of a file. A warning does not make the file unusable. */
export interface Fault {
  readonly line: number | undefined;
  readonly text: string;
  readonly isWarning?: boolean;
}

const FORM = { version: "1.1", schema: "core" } as const;

export function validate(session: Session, named: readonly string[]): void {
  const files = new ConfigurationFiles(session);
  const paths = named.length > 0 ? named : files.paths.filter((path) => existsSync(path));
  if (paths.length === 0) throw new CliError(`there is no client configuration (looked for ${files.paths.join(", ")})`);
  // Entries may refer to entries of other files.
  const names = namesIn(paths);
  let faults = 0;
  for (const path of paths) {
    const found = faultsOf(path, names, session.io.now());
    for (const { line, text, isWarning } of found) {
      const place = line === undefined ? path : `${path}:${line}`;
      session.write(`${place}: ${isWarning === true ? "warning: " : ""}${visible(text)}\n`);
    }
    const serious = found.filter(({ isWarning }) => isWarning !== true).length;
    if (serious === 0) session.write(`${path}: valid\n`);
    faults += serious;
  }
  if (faults > 0) session.exitCode = 1;
}

type Names = Readonly<Record<EntryList, readonly string[]>>;

/** Returns the names of all entries, also of files that have faults. */
function namesIn(paths: readonly string[]): Names {
  const documents = paths
    .filter((path) => existsSync(path))
    .map((path) => parseDocument(readFileSync(path, "utf8"), FORM));
  const of = (list: EntryList) =>
    documents.flatMap(({ contents }) => {
      const items = isMap(contents) ? contents.get(list, true) : undefined;
      return isSeq(items) ? items.items.flatMap((item) => (isMap(item) ? [String(item.get("name"))] : [])) : [];
    });
  return { clusters: of("clusters"), users: of("users"), contexts: of("contexts") };
}

/** @param now time of the day, in milliseconds */
function faultsOf(path: string, names: Names, now: number): readonly Fault[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return [{ line: undefined, text: code === "ENOENT" ? "no such file" : message }];
  }
  const unreadable = parserFault(text, path);
  const counter = new LineCounter();
  const { contents, errors } = parseDocument(text, { ...FORM, lineCounter: counter });
  if (errors.length > 0) return unreadable;
  if (!isMap(contents)) return unreadable;
  const faults: Fault[] = [];
  const check = new FileCheck(contents, counter, names, {
    folder: dirname(path),
    now,
    tell: (each) => faults.push(each),
  });
  check.run();
  if ((statSync(path).mode & 0o077) !== 0) {
    const mode = (statSync(path).mode & 0o777).toString(8);
    faults.push({
      line: undefined,
      text: `other users may read or change it (mode ${mode}): run "chmod 600 ${path}"`,
      isWarning: true,
    });
  }
  const seen = faults.some(({ isWarning }) => isWarning !== true);
  return (seen ? faults : [...unreadable, ...faults]).sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
}

/** Returns the fault that the parser of clients finds. */
function parserFault(text: string, path: string): readonly Fault[] {
  try {
    parseConfiguration(text, path);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const why = error.message.startsWith(`${path}: `) ? error.message.slice(path.length + 2) : error.message;
    const place = /^line (\d+), column \d+: /.exec(why);
    return [
      { line: place === null ? undefined : Number(place[1]), text: place === null ? why : why.slice(place[0].length) },
    ];
  }
}

const TOP_FIELDS = [
  "apiVersion",
  "kind",
  "clusters",
  "users",
  "contexts",
  "current-context",
  "preferences",
  "extensions",
];

interface CheckContext {
  readonly folder: string;
  readonly now: number;
  readonly tell: (fault: Fault) => void;
}

class FileCheck {
  constructor(
    private readonly contents: YAMLMap,
    private readonly counter: LineCounter,
    private readonly names: Names,
    private readonly context: CheckContext,
  ) {}

  run(): void {
    const { contents } = this;
    this.fieldsOf(contents, TOP_FIELDS, "");
    for (const [field, value] of [
      ["apiVersion", "v1"],
      ["kind", "Config"],
    ] as const) {
      const found = contents.get(field);
      if (found === undefined) {
        this.context.tell({ line: undefined, text: `${field} is missing: add "${field}: ${value}"`, isWarning: true });
      } else if (found !== value) this.tell(contents.get(field, true), `${field} is not ${value}`);
    }
    for (const list of ["clusters", "users", "contexts"] as const) this.list(list);
    const current = contents.get("current-context", true) as Node | undefined;
    if (isScalar(current) && typeof current.value === "string" && current.value !== "") {
      this.reference(current, "contexts", "current-context");
    }
  }

  private list(list: EntryList): void {
    const items = this.contents.get(list, true) as Node | undefined;
    if (items === undefined || (isScalar(items) && items.value === null)) return;
    if (!isSeq(items)) {
      this.tell(items, `${list} is not a list: write "- name: …" below it`);
      return;
    }
    const seen = new Set<string>();
    for (const item of items.items as Node[]) {
      const name = isMap(item) ? item.get("name") : undefined;
      if (!isMap(item) || typeof name !== "string" || name === "") {
        this.tell(item, `${list}: an entry has no name`);
        continue;
      }
      const of = `${ENTRY_FIELD[list]} ${JSON.stringify(name)}`;
      if (seen.has(name)) this.tell(item, `${of} occurs twice: remove one`);
      seen.add(name);
      this.fieldsOf(item, ["name", ENTRY_FIELD[list]], `${of}: `);
      const entry = item.get(ENTRY_FIELD[list], true) as Node | undefined;
      if (isMap(entry)) this.entry(list, of, entry);
      else this.tell(entry ?? item, `${of}: ${ENTRY_FIELD[list]} is not an object`);
    }
  }

  private entry(list: EntryList, of: string, entry: YAMLMap): void {
    this.fieldsOf(entry, Object.keys(FIELDS[list]), `${of}: `);
    const lineOf = (field: string): Node | undefined => (entry.get(field, true) as Node | undefined) ?? entry;
    const tell = (field: string, text: string, isWarning = false) =>
      this.tell(lineOf(field), `${of}: ${field === "" ? "" : `${field}: `}${text}`, isWarning);
    const value = entry.toJSON() as Readonly<Record<string, unknown>>;
    if (list === "contexts") {
      for (const [field, target] of [
        ["cluster", "clusters"],
        ["user", "users"],
      ] as const) {
        const node = entry.get(field, true) as Node | undefined;
        if (isScalar(node) && node.value) this.reference(node, target, `${of}: ${field}`);
        else if (field === "cluster") tell("cluster", "is missing");
      }
    } else entryFaults(list, value, { ...this.context, tell });
  }

  private reference(node: Node, list: EntryList, where: string): void {
    const name = isScalar(node) ? String(node.value) : "";
    const names = this.names[list];
    if (!names.includes(name)) {
      this.tell(node, `${where}: there is no ${ENTRY_FIELD[list]} ${JSON.stringify(name)}${likelyText(name, names)}`);
    }
  }

  private fieldsOf(map: YAMLMap, known: readonly string[], where: string): void {
    for (const { key } of map.items) {
      const field = isScalar(key) ? String(key.value) : "";
      if (!known.includes(field)) {
        this.tell(
          key as Node,
          `${where}the field ${JSON.stringify(field)} is not known${likelyText(field, known)}`,
          true,
        );
      }
    }
  }

  private tell(node: unknown, text: string, isWarning = false): void {
    const offset = (node as Node | undefined)?.range?.[0];
    const line = offset === undefined ? undefined : this.counter.linePos(offset).line;
    this.context.tell({ line, text, isWarning });
  }
}
