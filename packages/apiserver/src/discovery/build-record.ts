// What this server was built from, as scripts/write-build-record.mjs has noted it beside the compiled sources.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface BuildRecord {
  /** Or the package's version, where no commit is known. */
  readonly commit: string;
  readonly treeState: "clean" | "dirty" | "archive" | "";
  /** RFC 3339, to the second. */
  readonly date: string;
}

const PACKAGE = join(__dirname, "../..");
const UNKNOWN: BuildRecord = { commit: "", treeState: "", date: "1970-01-01T00:00:00Z" };

let known: BuildRecord | undefined;

/** Unknown for sources that run as they are. */
export function buildRecord(): BuildRecord {
  known ??= { ...UNKNOWN, ...read() };
  return known;
}

/** The same for servers that were built of the same: of what is in no commit, only those that were built at once. */
export function buildText(): string {
  const { commit, treeState, date } = buildRecord();
  return treeState === "clean" || treeState === "archive" ? commit : `${commit} ${date}`;
}

/** The product's own version, whatever release of the API it serves. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as { readonly version: string };
  return version;
}

function read(): Partial<BuildRecord> {
  try {
    return JSON.parse(readFileSync(join(PACKAGE, "dist/build.json"), "utf8")) as BuildRecord;
  } catch {
    return {};
  }
}
