// The kinds of in-flight control, by name.
import { FairnessControl, type FairnessOptions } from "@orch/flow-control";
import { InFlightLimits } from "../pipeline/in-flight-limits";

/** Options from which each kind is made. */
export type InFlightOptions = FairnessOptions;

const CONTROLS = {
  limits: (options: InFlightOptions) => new InFlightLimits(options),
  fairness: (options: InFlightOptions) => new FairnessControl(options),
} as const;

export type InFlightKind = keyof typeof CONTROLS;

export const inFlightControl = <Kind extends InFlightKind>(kind: Kind, options: InFlightOptions) =>
  CONTROLS[kind](options) as ReturnType<(typeof CONTROLS)[Kind]>;
