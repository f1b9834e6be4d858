// What `/version`, the build's metric and `--version` say.
import type { Vocabulary } from "@orch/schema";
import { buildRecord } from "./build-record";

export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  /** The run time; its name in this place is the field's own. */
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

/**
 * @param vocabulary clients of either read the release from `gitVersion`
 * @param release whose API this server speaks, such as `1.23`
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

/** The version as the labels of a metric. Source: facts, metrics.json "orch_build_info". */
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
