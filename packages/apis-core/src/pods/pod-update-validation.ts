// Validation of pod updates. Source: pkg/apis/core/validation/validation.go.

import { type Place, type Report, unchanged, updateValidator } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import { joiningContainerErrors } from "../containers/containers-validation";
import { unmaskedProc } from "./host-namespaces-validation";
import { plainImages } from "./plain-images-validation";
import { isSameSpec } from "./pod-spec-comparison";
import { narrowedDirectives, onlyFewerGates } from "./scheduling-gates-validation";

/**
 * Allows new ephemeral containers; existing ones must not change or be removed. Source:
 * pkg/apis/core/validation/validation.go.
 */
export const ephemeralContainersErrors = updateValidator<coreV1.Pod>((next, old, at, report) => {
  const spec = at.field("spec");
  if (next.spec !== undefined) {
    joiningContainerErrors(next.spec, spec, report);
    unmaskedProc(next.spec, spec, report);
    if (report.features.since("1.26")) plainImages(next.spec, spec, report);
  }
  const place = spec.field("ephemeralContainers");
  const present = next.spec?.ephemeralContainers ?? [];
  const positions = new Map<string, number>();
  for (const [position, { name }] of present.entries()) if (!positions.has(name)) positions.set(name, position);
  for (const before of old.spec?.ephemeralContainers ?? []) {
    const position = positions.get(before.name);
    if (position === undefined)
      report.forbidden(place, `existing ephemeral containers "${before.name}" may not be removed`);
    else if (!unchanged(present[position], before)) {
      report.forbidden(place.item(position), `existing ephemeral containers "${before.name}" may not be changed`);
    }
  }
});

export const podUpdateErrors = updateValidator<coreV1.Pod>((next, old, at, report) => {
  fixedAnnotations(next, old, at.field("metadata").field("annotations"), report);
  const place = at.field("spec");
  if (next.spec === undefined || old.spec === undefined || isSameSpec(next.spec, old.spec)) return;
  if (otherContainers(next.spec, old.spec, place, report)) return;
  deadline(next.spec, old.spec, place.field("activeDeadlineSeconds"), report);
  onlyMoreTolerations(next.spec, old.spec, place.field("tolerations"), report);
  const reportsGates = report.features.isOn("PodSchedulingReadiness");
  if (reportsGates) onlyFewerGates({ next: next.spec, old: old.spec }, place, report);
  const compared = narrowedDirectives({ next: next.spec, old: old.spec }, place, report);
  const gates = reportsGates ? "free" : "newDiffer";
  if (!unchanged(withoutChangeable(compared, old.spec, gates), withoutChangeable(old.spec, old.spec, gates))) {
    report.forbidden(
      place,
      "pod updates may not change fields other than `spec.containers[*].image`, `spec.initContainers[*].image`, " +
        "`spec.activeDeadlineSeconds` or `spec.tolerations` (only additions to existing tolerations)",
    );
  }
});

function fixedAnnotations(next: coreV1.Pod, old: coreV1.Pod, at: Place, report: Report): void {
  const { containerApparmorSecurityBeta, configMirror } = report.vocabulary.annotations;
  const after = next.metadata?.annotations ?? {};
  const before = old.metadata?.annotations ?? {};
  for (const name of new Set([...Object.keys(after), ...Object.keys(before)])) {
    if (after[name] === before[name]) continue;
    if (name.startsWith(containerApparmorSecurityBeta)) {
      report.forbidden(at.key(name), "may not add, remove or change AppArmor annotations");
    } else if (name === configMirror)
      report.forbidden(at.key(name), "may not add, remove or change mirror annotations");
  }
}

function otherContainers(next: coreV1.PodSpec, old: coreV1.PodSpec, at: Place, report: Report): boolean {
  const differing = (["containers", "initContainers"] as const).filter(
    (list) => (next[list]?.length ?? 0) !== (old[list]?.length ?? 0),
  );
  for (const list of differing) report.forbidden(at.field(list), "pod updates may not add or remove containers");
  return differing.length > 0;
}

/** Allows a deadline to be set or shortened. */
function deadline(
  { activeDeadlineSeconds: next }: coreV1.PodSpec,
  { activeDeadlineSeconds: old }: coreV1.PodSpec,
  at: Place,
  report: Report,
): void {
  if (next === undefined) {
    if (old !== undefined) report.invalid(at, null, "must not update from a positive integer to nil value");
    return;
  }
  // Validation of the pod checks the range.
  if (old !== undefined && next > old) report.invalid(at, next, "must be less than or equal to previous value");
}

function onlyMoreTolerations(next: coreV1.PodSpec, old: coreV1.PodSpec, at: Place, report: Report): void {
  const kept = new Set((next.tolerations ?? []).map(withoutSeconds));
  if ((old.tolerations ?? []).every((toleration) => kept.has(withoutSeconds(toleration)))) return;
  report.forbidden(at, "existing toleration can not be modified except its tolerationSeconds");
}

const withoutSeconds = ({ key, operator, value, effect }: coreV1.Toleration): string =>
  JSON.stringify([key ?? "", operator ?? "", value ?? "", effect ?? ""]);

/**
 * Returns the spec with all changeable fields replaced by the stored ones.
 * @param gates whether a new scheduling gate counts as a difference; a rule of its own reports it otherwise
 */
function withoutChangeable(spec: coreV1.PodSpec, old: coreV1.PodSpec, gates: "free" | "newDiffer"): object {
  const { activeDeadlineSeconds, tolerations, ...rest } = spec;
  const seconds = { next: spec.terminationGracePeriodSeconds, old: old.terminationGracePeriodSeconds ?? 0 };
  return {
    ...rest,
    containers: withoutImages(spec.containers),
    initContainers: withoutImages(spec.initContainers),
    schedulingGates: gates === "newDiffer" && hasNewGate(spec, old) ? spec.schedulingGates : [],
    // A stored negative period, which predates its validation, may become 1.
    terminationGracePeriodSeconds: seconds.old < 0 && seconds.next === 1 ? seconds.old : seconds.next,
  };
}

function hasNewGate({ schedulingGates = [] }: coreV1.PodSpec, old: coreV1.PodSpec): boolean {
  const known = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  return schedulingGates.some(({ name }) => !known.has(name));
}

const withoutImages = (containers: readonly coreV1.Container[] | null | undefined): readonly object[] =>
  (containers ?? []).map(({ image, ...rest }) => rest);
