// The pod specification within pods, workloads and jobs, and changes of its containers.
import { isObject, type JsonObject } from "@orch/schema";
import { CliError } from "../../../process/cli-error";
import type { Target } from "../targets";

/** Paths to the specification of the pods, by kind. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  Pod: ["spec"],
  PodTemplate: ["template", "spec"],
  ReplicationController: ["spec", "template", "spec"],
  ReplicaSet: ["spec", "template", "spec"],
  Deployment: ["spec", "template", "spec"],
  DaemonSet: ["spec", "template", "spec"],
  StatefulSet: ["spec", "template", "spec"],
  Job: ["spec", "template", "spec"],
  CronJob: ["spec", "jobTemplate", "spec", "template", "spec"],
};

export interface Container extends JsonObject {
  readonly name: string;
}

function pathOf({ type, name }: Target): readonly string[] {
  const path = PATHS[type.kind];
  if (path !== undefined) return path;
  throw new CliError(`${type.resource}/${name} has no pod template`);
}

/** Returns the specification of the pods. @throws CliError for kinds without one */
export function podSpecOf(target: Target, object: JsonObject): JsonObject {
  let at: unknown = object;
  for (const step of pathOf(target)) at = isObject(at) ? at[step] : undefined;
  return isObject(at) ? at : {};
}

export const containersOf = (spec: JsonObject, member: "containers" | "initContainers" = "containers"): Container[] =>
  (spec[member] ?? []) as Container[];

/** Returns a patch that changes members of the specification of the pods. */
export function podSpecPatch(target: Target, spec: JsonObject): JsonObject {
  return [...pathOf(target)].reverse().reduce<JsonObject>((inner, step) => ({ [step]: inner }), spec);
}

/** Tells whether a container is chosen: `*` stands for all characters. */
export function isChosen(name: string, pattern: string): boolean {
  const escaped = pattern.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
  return new RegExp(`^${escaped}$`).test(name);
}
