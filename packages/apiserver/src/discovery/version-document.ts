// What `/version`, the build's metric and `--version` say.
import type { Vocabulary } from "@orch/schema";

/** The release of the field whose API this server speaks. */
export const EMULATED_RELEASE = { major: "1", minor: "23" } as const;
const GIT_VERSION = `v${EMULATED_RELEASE.major}.${EMULATED_RELEASE.minor}.0`;

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

/** @param vocabulary clients of either read the release from `gitVersion` */
export function versionInfo(vocabulary: Vocabulary): VersionInfo {
  return {
    ...EMULATED_RELEASE,
    gitVersion: `${GIT_VERSION}+${vocabulary.name === "orch" ? "orch" : "orch.k"}`,
    gitCommit: "",
    gitTreeState: "",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: `node${process.version}`,
    compiler: "v8",
    platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
  };
}
