// What clients send in the fields of a feature that is off is dropped, as if the server did not know them; an object that has such
// fields already keeps them, and may change them. Source: facts, strategy.json "drop gated fields".
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";
import type { Features } from "./features";
import type { FieldGate } from "./field-gates";

/** By feature, names of nested fields with dots between; `[]` behind a list stands for each of its items. */
export type GatedFields = { readonly [Gate in FieldGate]?: readonly string[] };

export type Dropper = (object: JsonObject, old?: JsonObject) => void;

/** @returns undefined where every feature is on, or newer than the release */
export function dropperOf(gated: GatedFields, features: Features): Dropper | undefined {
  const off = (Object.entries(gated) as [FieldGate, readonly string[]][])
    .filter(([gate]) => features.isOff(gate))
    .map(([, paths]) => paths.map(stepsOf));
  if (off.length === 0) return undefined;
  return (object, old) => {
    for (const paths of off) {
      if (old !== undefined && paths.some((steps) => holds(old, steps))) continue;
      for (const steps of paths) drop(object, steps);
    }
  };
}

const EACH = "[]";

const stepsOf = (path: string): readonly string[] => path.replaceAll("[]", ".[]").split(".");

function holds(value: JsonValue | undefined, steps: readonly string[]): boolean {
  const [step, ...rest] = steps;
  if (step === undefined) return value !== undefined && value !== null;
  if (step === EACH) return Array.isArray(value) && value.some((item) => holds(item, rest));
  return isObject(value) && holds(value[step], rest);
}

function drop(value: JsonValue | undefined, steps: readonly string[]): void {
  const [step = "", ...rest] = steps;
  if (step === EACH) {
    if (Array.isArray(value)) for (const item of value) drop(item, rest);
  } else if (isObject(value)) {
    if (rest.length === 0) delete value[step];
    else drop(value[step], rest);
  }
}

/** Those of pods, wherever their specification stands. */
export const podFields = (spec: string): GatedFields => ({
  DynamicResourceAllocation: [`${spec}.resourceClaims`, `${spec}.containers[].resources.claims`],
  GenericEphemeralVolume: [`${spec}.volumes[].ephemeral`],
  NonPreemptingPriority: [`${spec}.preemptionPolicy`],
  PodOverhead: [`${spec}.overhead`],
});
