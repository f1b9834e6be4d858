// Feature gates of fields, as a server has them.
import { compareReleases, gateStage, isOnByDefault } from "@orch/machinery";
import { FIELD_GATES, type FieldGate } from "./field-gates";

export interface Features {
  /** Whether the gate is enabled: its defaults are applied. */
  readonly isOn: (gate: FieldGate) => boolean;
  /**
   * Whether the release knows the gate and it is disabled: its fields are dropped. Fields that are newer than the
   * release are kept.
   */
  readonly isOff: (gate: FieldGate) => boolean;
  /** Whether the release is this one or a later one, for changes that have no gate. */
  readonly since: (release: string) => boolean;
}

/** Enables all features, for callers that depend on none. */
export const ALL_FEATURES: Features = { isOn: () => true, isOff: () => false, since: () => true };

/** Returns the features of a release. @param gates overrides; other gates have the defaults of the release */
export function featuresOf(release: string, gates: Readonly<Partial<Record<FieldGate, boolean>>> = {}): Features {
  const known = new Map<FieldGate, boolean>();
  // Rules ask for each object: the answers are kept.
  const isOn = (gate: FieldGate) => {
    const kept = known.get(gate);
    if (kept !== undefined) return kept;
    const answer = gates[gate] ?? isOnByDefault(FIELD_GATES[gate], release);
    known.set(gate, answer);
    return answer;
  };
  return {
    isOn,
    isOff: (gate) => gateStage(FIELD_GATES[gate], release) !== undefined && !isOn(gate),
    since: (first) => compareReleases(first, release) <= 0,
  };
}
