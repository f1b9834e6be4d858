// Content of `/version`, of the build metric and of `--version`.
import type { Vocabulary } from "@orch/schema";
import { buildRecord } from "./build-record";

export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
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
 * @param release served release, such as `1.23`
 */
export function versionInfo(vocabulary: Vocabulary, release: string): VersionInfo {
  const [major = "", minor = ""] = release.split(".");
  const built = buildRecord();
  return {
    major,
    minor,
    gitVersion: `v${release}.0+${vocabulary.name === "orch" ? "orch" : "orch.k"}`,
    gitCommit: built.commit,
    gitTreeState: built.treeState,
    buildDate: built.date,
    goVersion: `node${process.version}`,
    compiler: "v8",
    platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
  };
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
