// The kinds of in-flight control that there are, by name.
import type { InFlightControl } from "./in-flight-control";
import { InFlightLimits, type LimitOptions } from "./in-flight-limits";

/** What all of them are made from. */
export type InFlightOptions = LimitOptions;

const CONTROLS = {
  limits: (options) => new InFlightLimits(options),
} as const satisfies Readonly<Record<string, (options: InFlightOptions) => InFlightControl>>;

export type InFlightKind = keyof typeof CONTROLS;

export const inFlightControl = (kind: InFlightKind, options: InFlightOptions): InFlightControl =>
  CONTROLS[kind](options);
