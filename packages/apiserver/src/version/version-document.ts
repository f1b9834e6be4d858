// Content of `/version`, of the build metric and of `--version`.
import { existsIn, type Vocabulary } from "@orch/schema";
import { buildRecord } from "./build-record";

export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  /** The emulated release and the oldest compatible one, in the releases that have these fields. */
  readonly emulationMajor?: string;
  readonly emulationMinor?: string;
  readonly minCompatibilityMajor?: string;
  readonly minCompatibilityMinor?: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  /** Version of the JavaScript runtime; clients expect the name goVersion. */
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

/**
 * @param vocabulary clients read the release from `gitVersion`
 * @param served the served release, such as `1.23`, and the oldest compatible one
 */
export function versionInfo(
  vocabulary: Vocabulary,
  { release, minCompatibility }: { readonly release: string; readonly minCompatibility: string },
): VersionInfo {
  const [major = "", minor = ""] = release.split(".");
  const built = buildRecord();
  return {
    major,
    minor,
    ...(existsIn(NAMES_EMULATION, release) && emulationFields(release, minCompatibility)),
    gitVersion: `v${release}.0+${vocabulary.name === "orch" ? "orch" : "orch.k"}`,
    gitCommit: built.commit,
    gitTreeState: built.treeState,
    buildDate: built.date,
    goVersion: `node${process.version}`,
    compiler: "v8",
    platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
  };
}

const NAMES_EMULATION = { since: "1.33" };

function emulationFields(release: string, minCompatibility: string) {
  const [emulationMajor = "", emulationMinor = ""] = release.split(".");
  const [minCompatibilityMajor = "", minCompatibilityMinor = ""] = minCompatibility.split(".");
  return { emulationMajor, emulationMinor, minCompatibilityMajor, minCompatibilityMinor };
}

/** Returns the labels of the build info metric. */
export function buildLabels(version: VersionInfo): Readonly<Record<string, string>> {
  return {
    major: version.major,
    minor: version.minor,
    git_version: version.gitVersion,
    git_commit: version.gitCommit,
    git_tree_state: version.gitTreeState,
    build_date: version.buildDate,
    go_version: version.goVersion,
    compiler: version.compiler,
    platform: version.platform,
  };
}
