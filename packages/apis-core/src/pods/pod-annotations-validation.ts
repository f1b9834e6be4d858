// Validation of annotations with a meaning for pods and pod templates. Source: pkg/apis/core/validation/validation.go.

import { each, fieldAt, type Place, type Report, type Rule } from "@orch/apis-model";
import { type coreV1, isObject, type JsonObject, type JsonValue } from "@orch/schema";
import { toleration } from "./tolerations-validation";

type Annotated = Pick<coreV1.Pod, "metadata" | "spec">;

const LOCALHOST = "localhost/";
const SECCOMP: ReadonlySet<string> = new Set(["runtime/default", "docker/default", "unconfined"]);
const APP_ARMOR: ReadonlySet<string> = new Set(["", "runtime/default", "unconfined"]);

/**
 * Returns whether the name is a known profile, or a file below the profile folder of the node. Source:
 * pkg/apis/core/validation/validation.go.
 */
export function isSeccompProfile(name: string): boolean {
  if (!name.startsWith(LOCALHOST)) return SECCOMP.has(name);
  const path = name.slice(LOCALHOST.length);
  return !path.startsWith("/") && !path.split("/").includes("..");
}

export const isAppArmorProfile = (name: string): boolean => APP_ARMOR.has(name) || name.startsWith(LOCALHOST);

export const podAnnotations: Rule<Annotated> = ({ metadata, spec }, at, report) => {
  const annotations = metadata?.annotations;
  if (annotations === undefined) return;
  const place = at.field("metadata").field("annotations");
  const names = report.vocabulary.annotations;
  let containers: ReadonlySet<string> | undefined;
  for (const [name, value] of Object.entries(annotations)) {
    if (name === names.configMirror) mirror(spec, place.key(name), report);
    else if (name === names.controllerPodDeletionCost) deletionCost(value, place.key(name), report);
    else if (name === names.schedulerAlphaTolerations) tolerationsText(value, place.key(name), report);
    else if (name === names.seccompSecurityAlphaPod || name.startsWith(names.containerSeccompSecurityAlpha)) {
      seccompProfile(value, place.key(name), report);
    } else if (name.startsWith(names.containerApparmorSecurityBeta)) {
      containers ??= containerNames(spec);
      const containerName = name.slice(names.containerApparmorSecurityBeta.length);
      if (!containers.has(containerName)) report.invalid(place.key(name), containerName, "container not found");
      if (!isAppArmorProfile(value)) report.invalid(place.key(name), value, "invalid AppArmor profile name");
    }
  }
};

function mirror(spec: coreV1.PodSpec | undefined, at: Place, report: Report): void {
  if (!spec?.nodeName) report.invalid(at, "", "must set spec.nodeName if mirror pod annotation is set");
}

const DELETION_COST = /^-?(0|[1-9]\d{0,9})$/;
const INT32_MAX = 2 ** 31 - 1;

const isDeletionCost = (value: string): boolean =>
  DELETION_COST.test(value) && Number(value) <= INT32_MAX && Number(value) >= -INT32_MAX - 1;

/** A stored cost that is not valid may stay or change. Source: KEP-2255, "ReplicaSet Pod Deletion Cost". */
function deletionCost(value: string, at: Place, report: Report): void {
  if (isDeletionCost(value) || !report.features.since("1.26")) return;
  const name = report.vocabulary.annotations.controllerPodDeletionCost;
  const stored = report.stored && annotationsOf(report.stored)[name];
  if (typeof stored === "string" && !isDeletionCost(stored)) return;
  report.invalid(at, value, "must be a 32bit integer");
}

/** Returns the annotations of a stored pod, or of the template in any kind that has one. */
function annotationsOf(stored: JsonObject): JsonObject {
  for (const place of ANNOTATIONS) {
    const annotations = fieldAt(stored, place);
    if (isObject(annotations)) return annotations;
  }
  return {};
}

const ANNOTATIONS = [
  ["spec", "template", "metadata", "annotations"],
  ["spec", "jobTemplate", "spec", "template", "metadata", "annotations"],
  ["template", "metadata", "annotations"],
  ["metadata", "annotations"],
] as const;

const eachToleration = each(toleration);

function tolerationsText(text: string, at: Place, report: Report): void {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text === "" ? "[]" : text);
  } catch {
    parsed = undefined;
  }
  if (isListOfObjects(parsed) && parsed.every(isToleration)) eachToleration(parsed, at, report);
  else report.invalid(at, text, "must be a list of tolerations in JSON");
}

/** Returns whether a value from an annotation, which is not decoded by a type, is a toleration. */
const isToleration = (value: object): value is coreV1.Toleration =>
  (["key", "operator", "value", "effect"] as const).every((name) => isTextOrNone((value as JsonObject)[name])) &&
  typeof ((value as JsonObject)["tolerationSeconds"] ?? 0) === "number";

const isTextOrNone = (value: JsonValue | undefined): boolean => typeof (value ?? "") === "string";

export const isListOfObjects = (value: unknown): value is object[] =>
  Array.isArray(value) && value.every((each) => isObject(each));

function seccompProfile(value: string, at: Place, report: Report): void {
  if (!isSeccompProfile(value)) report.invalid(at, value, "must be a valid seccomp profile");
}

const containerNames = (spec: coreV1.PodSpec | undefined): ReadonlySet<string> =>
  new Set(
    [spec?.containers, spec?.initContainers, spec?.ephemeralContainers].flatMap((list) =>
      (list ?? []).map(({ name }) => name),
    ),
  );
