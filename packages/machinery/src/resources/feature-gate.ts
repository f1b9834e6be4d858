// A feature that can be switched, with the stages of its life: which one holds is a matter of the release that is emulated.
// Source: resource-api, "Feature gate stages" and "Deprecation rules" 8, 9.
import { compareReleases } from "./lifecycle";

export type GateStage = "alpha" | "beta" | "ga";

export interface GateRow {
  /** The release in which each stage was reached; at the last one a gate no longer switches anything. */
  readonly stages: Readonly<Partial<Record<GateStage, string>>>;
  /** The first release in which it is on unless somebody says otherwise, where that is not the one that made it beta. */
  readonly onSince?: string;
  /** The first release that does not know the gate any more: its feature is always there, or where it never came that far, gone. */
  readonly removed?: string;
  readonly help: string;
}

/** @returns undefined before its first stage */
export function gateStage({ stages }: GateRow, release: string): GateStage | undefined {
  const reached = (stage: GateStage) => {
    const since = stages[stage];
    return since !== undefined && isReached(since, release);
  };
  return (["ga", "beta", "alpha"] as const).find(reached);
}

/** Whether a release does not know the gate any more. */
export const isGateGone = ({ removed }: GateRow, release: string): boolean =>
  removed !== undefined && isReached(removed, release);

/** @param asked what is said of all alpha and of all beta features */
export function isOnUnasked(
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
