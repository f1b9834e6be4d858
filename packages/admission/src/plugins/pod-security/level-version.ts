// Levels and versions of the pod security standards. Source: Kubernetes documentation, "Pod Security Admission", "Pod
// Security Admission labels for namespaces".
import { compareReleases } from "@orch/schema";

export type Level = "privileged" | "baseline" | "restricted";

/** Levels, the most lenient first. */
const LEVELS: readonly Level[] = ["privileged", "baseline", "restricted"];

/** `latest`, or `v1.N`. */
export type PolicyVersion = string;

export const LATEST: PolicyVersion = "latest";

export interface LevelVersion {
  readonly level: Level;
  readonly version: PolicyVersion;
}

export const isLevel = (text: string): text is Level => (LEVELS as readonly string[]).includes(text);

export const isPolicyVersion = (text: string): boolean => text === LATEST || /^v1\.(?:0|[1-9]\d{0,8})$/.test(text);

export const LEVEL_RULE = `must be one of ${LEVELS.join(", ")}`;
export const VERSION_RULE = 'must be "latest" or "v1.x"';

/** Formats `restricted:v1.28`. */
export const levelVersionText = ({ level, version }: LevelVersion): string => `${level}:${version}`;

export const isStricter = (one: Level, other: Level): boolean => LEVELS.indexOf(one) > LEVELS.indexOf(other);

export const isSamePolicy = (one: LevelVersion, other: LevelVersion): boolean =>
  one.level === other.level && one.version === other.version;

/** Returns the release whose rules apply to a version. Versions newer than the server use the server's rules. */
export function rulesRelease(version: PolicyVersion, newest: string): string {
  const release = releaseOf(version);
  return release === undefined || compareReleases(release, newest) > 0 ? newest : release;
}

export function isFuture(version: PolicyVersion, newest: string): boolean {
  const release = releaseOf(version);
  return release !== undefined && compareReleases(release, newest) > 0;
}

const releaseOf = (version: PolicyVersion): string | undefined => (version === LATEST ? undefined : version.slice(1));
