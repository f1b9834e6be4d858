// History of a feature gate over the releases: stage, default and lock. Source: KEP-4330;
// staging/src/k8s.io/component-base/featuregate/feature_gate.go.
import { parseRelease } from "@orch/apis";
import { compareReleases, type GateRow } from "@orch/machinery";

type GateStage = "alpha" | "beta" | "ga" | "deprecated";

export interface GateState {
  readonly stage: GateStage;
  /** Whether the gate is on by default. */
  readonly on: boolean;
  /** Whether the gate must have its default. */
  readonly locked: boolean;
  /** First release with this state. */
  readonly since: string;
}

export interface GateHistory {
  /** The earliest first. */
  readonly states: readonly GateState[];
  /** First release without the gate. */
  readonly removed?: string;
}

const STAGES: Readonly<Record<string, GateStage>> = { A: "alpha", B: "beta", G: "ga", D: "deprecated" };

/** @param changes texts such as `A-1.20`, `B+1.22`, `G+1.24!` and `x1.26`: see `knownGates` */
export function parseGateHistory(changes: readonly string[]): GateHistory {
  const removed = changes.find((change) => change.startsWith("x"))?.slice(1);
  const states = changes
    .filter((change) => !change.startsWith("x"))
    .map((change) => ({
      stage: STAGES[change[0] ?? ""] ?? "alpha",
      on: change[1] === "+",
      locked: change.endsWith("!"),
      since: change.slice(2).replace("!", ""),
    }));
  return { states, ...(removed !== undefined && { removed }) };
}

/** Returns the state of a gate at a release. @returns undefined before its first release, and after its last one */
export function gateState({ states, removed }: GateHistory, release: string): GateState | undefined {
  if (removed !== undefined && compareReleases(removed, release) <= 0) return undefined;
  return states.findLast(({ since }) => compareReleases(since, release) <= 0);
}

/** Returns the history of a gate that has an effect. */
export function rowHistory({ stages, onSince, lockedSince, removed }: GateRow): GateHistory {
  const states: GateState[] = [];
  const { alpha, beta, ga } = stages;
  if (alpha !== undefined) states.push({ stage: "alpha", on: false, locked: false, since: alpha });
  if (beta !== undefined) {
    const isOn = onSince === undefined || compareReleases(onSince, beta) <= 0;
    states.push({ stage: "beta", on: isOn, locked: false, since: beta });
    const turnsOn =
      !isOn && parseRelease(onSince) !== undefined && (ga === undefined || compareReleases(onSince, ga) < 0);
    if (turnsOn) states.push({ stage: "beta", on: true, locked: false, since: onSince });
  }
  if (ga !== undefined) {
    states.push({ stage: "ga", on: true, locked: lockedSince === undefined, since: ga });
    if (lockedSince !== undefined && parseRelease(lockedSince) !== undefined)
      states.push({ stage: "ga", on: true, locked: true, since: lockedSince });
  }
  return { states, ...(removed !== undefined && { removed }) };
}

/** Returns a text such as `ALPHA 1.20, BETA 1.22, GA 1.24, removed in 1.26`; a beta gate that is off says so. */
export function historyText({ states, removed }: GateHistory): string {
  const texts = states.map(({ stage, on, since }, index) => {
    const before = states[index - 1];
    if (before?.stage === stage) return `${since} ${on === before.on ? "locked" : on ? "on" : "off"}`;
    const isUsual = on === (stage === "beta" || stage === "ga");
    return `${stage.toUpperCase()} ${since}${isUsual ? "" : on ? " on" : " off"}`;
  });
  return [...texts, ...(removed === undefined ? [] : [`removed in ${removed}`])].join(", ");
}
