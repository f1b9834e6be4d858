// Features that can be switched, each with the stages of its life: which one holds is a matter of the release that is emulated.
// Source: resource-api, "Feature gate stages" and "Deprecation rules" 8, 9.
import { compareReleases } from "@orch/machinery";

export type GateStage = "alpha" | "beta" | "ga";

export interface GateRow {
  /** The release in which each stage was reached; at the last one a gate no longer switches anything. */
  readonly stages: Readonly<Partial<Record<GateStage, string>>>;
  /** The first release that does not know the gate any more. */
  readonly removed?: string;
  readonly help: string;
}

export const FEATURE_GATES = {
  AllowInsecureBackendProxy: {
    stages: { beta: "1.17" },
    help: "logs from node agents whose certificate is not looked at, for requests that ask for it",
  },
  APIListChunking: { stages: { alpha: "1.8", beta: "1.9", ga: "1.29" }, help: "limit and continue of lists" },
  DryRun: { stages: { alpha: "1.12", beta: "1.13", ga: "1.19" }, help: "dryRun of writes" },
  EphemeralContainers: {
    stages: { alpha: "1.16", beta: "1.23", ga: "1.25" },
    removed: "1.27",
    help: "containers that join a running pod",
  },
  ServerSideApply: {
    stages: { alpha: "1.14", beta: "1.16", ga: "1.22" },
    help: "apply patches, and who owns which field",
  },
  WarningHeaders: {
    stages: { beta: "1.19", ga: "1.22" },
    removed: "1.24",
    help: "Warning headers of answers",
  },
  WatchBookmark: { stages: { alpha: "1.15", beta: "1.16", ga: "1.17" }, help: "bookmarks in watches" },
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
  release: string,
  table: Readonly<Record<string, GateRow>> = FEATURE_GATES,
): ParsedGates {
  const gates: Record<string, boolean> = {};
  const warnings: string[] = [];
  const errors: string[] = [];
  for (const [name, row] of Object.entries(table)) gates[name] = byStage(stageAt(row, release), pairs);
  for (const [name, on] of Object.entries(pairs)) {
    if (name === "AllAlpha" || name === "AllBeta") continue;
    const row = Object.hasOwn(table, name) ? table[name] : undefined;
    const stage = row && stageAt(row, release);
    if (row === undefined || stage === undefined) {
      errors.push(`--feature-gates: unknown gate ${name}`);
    } else if (isRemoved(row, release)) {
      errors.push(`--feature-gates: ${name} was removed in v${row.removed}: its feature is always on`);
    } else if (stage === "ga") {
      const since = `v${row.stages.ga}`;
      if (!on) errors.push(`--feature-gates: ${name} is locked to true since ${since}`);
      const end = row.removed === undefined ? "" : ` in v${row.removed}`;
      warnings.push(`--feature-gates: ${name} is generally available since ${since}; its gate will be removed${end}`);
    } else {
      gates[name] = on;
    }
  }
  return { gates: gates as FeatureGates, warnings, errors };
}

/** For `--help`: each gate that the release knows, what it switches, its default, and which of them switch nothing any more. */
export function gatesText(release: string, table: Readonly<Record<string, GateRow>> = FEATURE_GATES): string {
  const texts = Object.entries(table).flatMap(([name, row]) => {
    const stage = stageAt(row, release);
    if (stage === undefined || isRemoved(row, release)) return [];
    const effect = stage === "ga" ? "GA, non-operational" : `${stage.toUpperCase()}, default ${byStage(stage, {})}`;
    return [`${name} (${effect}): ${row.help}`];
  });
  return texts.join("; ");
}

const isRemoved = ({ removed }: GateRow, release: string): boolean =>
  removed !== undefined && compareReleases(removed, release) <= 0;

/** @returns undefined before its first stage */
function stageAt({ stages }: GateRow, release: string): GateStage | undefined {
  const reached = (stage: GateStage) => {
    const since = stages[stage];
    return since !== undefined && compareReleases(since, release) <= 0;
  };
  return (["ga", "beta", "alpha"] as const).find(reached);
}

function byStage(stage: GateStage | undefined, pairs: Readonly<Record<string, boolean>>): boolean {
  switch (stage) {
    case "ga":
      return true;
    case "beta":
      return pairs["AllBeta"] ?? true;
    case "alpha":
      return pairs["AllAlpha"] ?? false;
    case undefined:
      return false;
  }
}
