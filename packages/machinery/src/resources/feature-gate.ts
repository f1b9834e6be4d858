// Feature gates and their stages, which depend on the emulated release. Source: "Feature Gates" in the Kubernetes
// documentation.
import { compareReleases } from "./lifecycle";

export type GateStage = "alpha" | "beta" | "ga";

export interface GateRow {
  /** Release in which each stage was reached. A gate at the last stage is locked: see `lockedSince`. */
  readonly stages: Readonly<Partial<Record<GateStage, string>>>;
  /**
   * First release in which the gate is on by default, when it differs from its beta release. A release
   * that is not served yet: off by default in all releases.
   */
  readonly onSince?: string;
  /** First release in which the gate is locked, when it differs from its GA release; see `onSince`. */
  readonly lockedSince?: string;
  /** First release without the gate. Its feature is then always on, or removed when it never reached GA. */
  readonly removed?: string;
  readonly help: string;
}

/**
 * Returns the stage of a gate at a release.
 * @returns undefined before its first stage
 */
export function gateStage({ stages }: GateRow, release: string): GateStage | undefined {
  const reached = (stage: GateStage) => {
    const since = stages[stage];
    return since !== undefined && isReached(since, release);
  };
  return (["ga", "beta", "alpha"] as const).find(reached);
}

/** Reports whether a release no longer has the gate. */
const isGateGone = ({ removed }: GateRow, release: string): boolean =>
  removed !== undefined && isReached(removed, release);

/**
 * Reports whether a gate is on by default.
 * @param asked settings of AllAlpha and AllBeta
 */
export function isOnByDefault(
  row: GateRow,
  release: string,
  asked: { readonly alpha?: boolean | undefined; readonly beta?: boolean | undefined } = {},
): boolean {
  const stage = gateStage(row, release);
  switch (stage) {
    case "ga":
      return true;
    case "beta":
      return asked.beta ?? isReached(row.onSince ?? release, release);
    case "alpha":
      return !isGateGone(row, release) && (asked.alpha ?? false);
    case undefined:
      return false;
  }
}

const isReached = (since: string, release: string): boolean => compareReleases(since, release) <= 0;
