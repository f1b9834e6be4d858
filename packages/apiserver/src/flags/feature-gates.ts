// Features that can be switched, each with its stage at the release that this server emulates. Source: resource-api, "Feature gate
// stages".

export interface GateRow {
  readonly stage: "alpha" | "beta" | "ga";
  readonly default: boolean;
  /** The release in which the stage was reached. */
  readonly since: string;
  readonly help: string;
}

export const FEATURE_GATES = {
  APIListChunking: { stage: "beta", default: true, since: "1.9", help: "limit and continue of lists" },
  DryRun: { stage: "ga", default: true, since: "1.19", help: "dryRun of writes" },
  WatchBookmark: { stage: "ga", default: true, since: "1.17", help: "bookmarks in watches" },
} as const satisfies Readonly<Record<string, GateRow>>;

export type GateName = keyof typeof FEATURE_GATES;
export type FeatureGates = Readonly<Record<GateName, boolean>>;

export interface ParsedGates {
  readonly gates: FeatureGates;
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
}

/** A gate that is named wins over its stage's switch; one at its last stage can no longer be switched off. */
export function parseFeatureGates(
  pairs: Readonly<Record<string, boolean>>,
  table: Readonly<Record<string, GateRow>> = FEATURE_GATES,
): ParsedGates {
  const gates: Record<string, boolean> = {};
  const warnings: string[] = [];
  const errors: string[] = [];
  for (const [name, row] of Object.entries(table)) {
    const ofStage = row.stage === "alpha" ? pairs["AllAlpha"] : row.stage === "beta" ? pairs["AllBeta"] : undefined;
    gates[name] = ofStage ?? row.default;
  }
  for (const [name, on] of Object.entries(pairs)) {
    if (name === "AllAlpha" || name === "AllBeta") continue;
    const row = Object.hasOwn(table, name) ? table[name] : undefined;
    if (row === undefined) {
      errors.push(`--feature-gates: unknown gate ${name}`);
    } else if (row.stage !== "ga") {
      gates[name] = on;
    } else {
      if (on !== row.default) errors.push(`--feature-gates: ${name} is locked to ${row.default} since v${row.since}`);
      warnings.push(`--feature-gates: ${name} is generally available since v${row.since}; its gate will be removed`);
    }
  }
  return { gates: gates as FeatureGates, warnings, errors };
}
