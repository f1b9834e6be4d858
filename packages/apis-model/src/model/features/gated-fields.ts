// Drops fields of disabled features from requests, as if the server did not know them. An object that already has such
// fields keeps them and may change them. Source: Kubernetes API changes guide, "Alpha, Beta, and Stable Versions".
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";
import type { Features } from "./features";
import type { FieldGate } from "./field-gates";

/** Paths keyed by feature gate, names separated by dots; `[]` after a list means each of its items. */
export type GatedFields = { readonly [Gate in FieldGate]?: readonly string[] };

export type Dropper = (object: JsonObject, old?: JsonObject) => void;

/** Builds the function. @returns undefined when every gate is enabled or newer than the release */
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

/** Gated fields of a pod spec at the given path. */
export const podFields = (spec: string): GatedFields => ({
  DynamicResourceAllocation: [`${spec}.resourceClaims`, `${spec}.containers[].resources.claims`],
  GenericEphemeralVolume: [`${spec}.volumes[].ephemeral`],
  NonPreemptingPriority: [`${spec}.preemptionPolicy`],
  PodOverhead: [`${spec}.overhead`],
});
