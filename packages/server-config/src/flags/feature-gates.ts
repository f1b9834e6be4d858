// Features that `--feature-gates` switches, and the parsing of the flag. Source: Kubernetes documentation, "Feature
// Gates".
import { FIELD_GATES } from "@orch/apis";
import { type GateRow, gateStage, isGateGone, isOnByDefault } from "@orch/machinery";
import { GATES_WITHOUT_EFFECT } from "./gates-without-effect";

export const FEATURE_GATES = {
  ...FIELD_GATES,
  AllowInsecureBackendProxy: {
    stages: { beta: "1.17" },
    help: "reading logs from node agents without verifying their certificate, for requests that ask for it",
  },
  APIListChunking: { stages: { alpha: "1.8", beta: "1.9", ga: "1.29" }, help: "limit and continue of lists" },
  APIPriorityAndFairness: {
    stages: { alpha: "1.18", beta: "1.20", ga: "1.29" },
    help: "flow control of requests by flow schemas and priority levels",
  },
  DryRun: { stages: { alpha: "1.12", beta: "1.13", ga: "1.19" }, help: "dryRun of writes" },
  EphemeralContainers: {
    stages: { alpha: "1.16", beta: "1.23", ga: "1.25" },
    removed: "1.27",
    help: "containers that are added to a running pod",
  },
  LegacyServiceAccountTokenTracking: {
    stages: { alpha: "1.26", beta: "1.27", ga: "1.28" },
    removed: "1.30",
    help: "labels of Secrets with the date of the last use of their service account token",
  },
  ServerSideApply: {
    stages: { alpha: "1.14", beta: "1.16", ga: "1.22" },
    help: "apply patches and field ownership",
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

/** A named gate takes precedence over AllAlpha and AllBeta; a gate at its last stage cannot be switched off. */
export function parseFeatureGates(
  pairs: Readonly<Record<string, boolean>>,
  release: string,
  table: Readonly<Record<string, GateRow>> = FEATURE_GATES,
): ParsedGates {
  const gates: Record<string, boolean> = {};
  const warnings: string[] = [];
  const errors: string[] = [];
  const asked = { alpha: pairs["AllAlpha"], beta: pairs["AllBeta"] };
  for (const [name, row] of Object.entries(table)) gates[name] = isOnByDefault(row, release, asked);
  for (const [name, on] of Object.entries(pairs)) {
    if (name === "AllAlpha" || name === "AllBeta") continue;
    const row = Object.hasOwn(table, name) ? table[name] : undefined;
    const stage = row && gateStage(row, release);
    if (row === undefined && GATES_WITHOUT_EFFECT.has(name)) {
      warnings.push(`--feature-gates: ${name} has no effect in this server`);
    } else if (row === undefined || stage === undefined) {
      errors.push(`--feature-gates: unknown gate ${name}`);
    } else if (isGateGone(row, release)) {
      const now = stage === "ga" ? "always on" : "gone";
      errors.push(`--feature-gates: ${name} was removed in v${row.removed}: its feature is ${now}`);
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

/** Text for `--help`: each gate of the release, its effect and default, and the gates without effect. */
export function gatesText(release: string, table: Readonly<Record<string, GateRow>> = FEATURE_GATES): string {
  const texts = Object.entries(table).flatMap(([name, row]) => {
    const stage = gateStage(row, release);
    if (stage === undefined || isGateGone(row, release)) return [];
    const byDefault = isOnByDefault(row, release);
    const effect = stage === "ga" ? "GA, non-operational" : `${stage.toUpperCase()}, default ${byDefault}`;
    return [`${name} (${effect}): ${row.help}`];
  });
  return texts.join("; ");
}
