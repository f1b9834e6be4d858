// What `/version`, the build's metric and `--version` say.
import type { Vocabulary } from "@orch/schema";

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
  return {
    major,
    minor,
    gitVersion: `v${release}.0+${vocabulary.name === "orch" ? "orch" : "orch.k"}`,
    gitCommit: "",
    gitTreeState: "",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: `node${process.version}`,
    compiler: "v8",
    platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
  };
}
