// Build information, written by scripts/write-build-record.mjs beside the compiled sources.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface BuildRecord {
  /** Commit, or the package version when the commit is unknown. */
  readonly commit: string;
  readonly treeState: "clean" | "dirty" | "archive" | "";
  /** RFC 3339, with seconds. */
  readonly date: string;
}

const PACKAGE = join(__dirname, "../..");
const UNKNOWN: BuildRecord = { commit: "", treeState: "", date: "1970-01-01T00:00:00Z" };

let known: BuildRecord | undefined;

/** Unknown when the sources run without a build. */
export function buildRecord(): BuildRecord {
  known ??= { ...UNKNOWN, ...read() };
  return known;
}

/** Text that identifies a build. Builds with uncommitted changes differ by their date. */
export function buildText(): string {
  const { commit, treeState, date } = buildRecord();
  return treeState === "clean" || treeState === "archive" ? commit : `${commit} ${date}`;
}

/** Version of the product, independent of the served release. */
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
