// Which features that brought fields a server has. Source: as field-gates.ts; decisions on fields that are newer than the release.
import { gateStage, isOnUnasked } from "@orch/machinery";
import { FIELD_GATES, type FieldGate } from "./field-gates";

export interface Features {
  /** Its defaults are filled. */
  readonly isOn: (gate: FieldGate) => boolean;
  /** The release knows it, and it is off: what is sent in its fields is dropped. Fields that are newer than the release are kept. */
  readonly isOff: (gate: FieldGate) => boolean;
}

/** For what rests on none. */
export const ALL_FEATURES: Features = { isOn: () => true, isOff: () => false };

/** @param gates as they are switched; those that are not named are as the release has them */
export function featuresOf(release: string, gates: Readonly<Partial<Record<FieldGate, boolean>>> = {}): Features {
  const isOn = (gate: FieldGate) => gates[gate] ?? isOnUnasked(FIELD_GATES[gate], release);
  return {
    isOn,
    isOff: (gate) => gateStage(FIELD_GATES[gate], release) !== undefined && !isOn(gate),
  };
}
