// Validation of the resize subresource of pods. Source: KEP-1287, "In-place Update of Pod Resources".

import { type Place, type Report, unchanged, updateValidator } from "@orch/apis-model";
import type { coreV1, JsonObject } from "@orch/schema";
import { hasPodResources } from "./pod-level-resources";
import { qualityOfService } from "./quality-of-service";

const RESIZABLE: ReadonlySet<string> = new Set(["cpu", "memory"]);

export const podResizeErrors = updateValidator<coreV1.Pod>((next, old, at, report) => {
  const place = at.field("spec");
  if (next.spec === undefined || old.spec === undefined) return;
  if (old.metadata?.annotations?.[report.vocabulary.annotations.configMirror] !== undefined) {
    report.forbidden(at, "static pods cannot be resized");
    return;
  }
  if (old.spec.os?.name === "windows") {
    report.forbidden(at, "windows pods cannot be resized");
    return;
  }
  const quality = qualityOfService(next.spec as unknown as JsonObject, report.features);
  const before = old.status?.qosClass || qualityOfService(old.spec as unknown as JsonObject, report.features);
  if (quality !== before) {
    report.invalid(place, quality, "Pod QOS Class may not change as a result of resizing");
  }
  if (!runsWhereResizeWorks(old)) report.forbidden(place, "Pod running on node without support for resize");
  if (hasPodResources(old.spec) || hasPodResources(next.spec)) {
    if (!report.features.isOn("InPlacePodLevelResourcesVerticalScaling")) {
      report.forbidden(at, "resize of pods with pod-level resources requires InPlacePodLevelResourcesVerticalScaling");
      return;
    }
    if (old.spec.resources !== undefined && next.spec.resources === undefined && report.features.since("1.36")) {
      report.forbidden(place.field("resources"), "pod-level resources cannot be removed");
      return;
    }
    const where = { at: place.field("resources"), fixed: place };
    amounts(next.spec.resources, old.spec.resources, where, report);
  }
  if (otherContainers(next.spec, old.spec, place, report)) return;
  for (const list of ["containers", "initContainers"] as const) {
    next.spec[list]?.forEach((container, position) => {
      const stored = old.spec?.[list]?.[position];
      const of = place.field(list).item(position);
      if (stored === undefined || unchanged(resized(container), resized(stored))) return;
      if (list === "initContainers" && stored.restartPolicy !== "Always" && !initResizes(container, of, report)) return;
      // Kubernetes names the spec when another field changes.
      const fixed = list === "containers" ? place : of;
      if (!unchanged(container.resizePolicy, stored.resizePolicy)) {
        const isNewer = report.features.since("1.36");
        report.forbidden(isNewer ? fixed : of.field("resizePolicy"), "only cpu and memory resources are mutable");
        if (isNewer) return;
      }
      amounts(container.resources, stored.resources, { at: of.field("resources"), fixed }, report);
    });
  }
});

/** Fields of a container that a resize may change; the resize policy may not. */
const resized = ({ resources = {}, resizePolicy }: coreV1.Container) => ({ resources, resizePolicy });

/**
 * Returns whether the node of the pod supports resize: its agent then reports the resources of running containers. A
 * pod without a running container may be on such a node.
 */
function runsWhereResizeWorks({ status }: coreV1.Pod): boolean {
  const running = status?.containerStatuses?.find(({ state }) => state?.running !== undefined);
  return running === undefined || running.resources !== undefined;
}

function otherContainers(next: coreV1.PodSpec, old: coreV1.PodSpec, at: Place, report: Report): boolean {
  let differs = false;
  for (const list of ["containers", "initContainers"] as const) {
    const [after, before] = [next[list] ?? [], old[list] ?? []];
    if (after.length !== before.length) {
      report.forbidden(at.field(list), `${list} may not be added or removed on resize`);
      differs = true;
      continue;
    }
    before.forEach(({ name }, position) => {
      if (after[position]?.name === name) return;
      const place = at.field(list).item(position).field("name");
      report.forbidden(place, `${list} may not be renamed or reordered on resize`);
      differs = true;
    });
  }
  return differs;
}

/** Checks the resize of an init container that ends before the containers start. @returns whether it may change */
function initResizes({ resizePolicy }: coreV1.Container, at: Place, report: Report): boolean {
  if (!report.features.isOn("InPlacePodVerticalScalingInitContainers")) {
    report.forbidden(at.field("resources"), "only containers that run beside the others can be resized");
    return false;
  }
  if (resizePolicy?.some(({ restartPolicy }) => restartPolicy === "RestartContainer")) {
    report.forbidden(at, "non-sidecar init containers with a resize policy of RestartContainer cannot be resized");
    return false;
  }
  return true;
}

type Resources = coreV1.ResourceRequirements | undefined;

interface AmountPlaces {
  readonly at: Place;
  /** Place of a change of other resources in releases since 1.36. */
  readonly fixed: Place;
}

/** Allows changes of cpu and memory only. Requests and limits must not be removed. */
function amounts(next: Resources, old: Resources, places: AmountPlaces, report: Report): void {
  if (report.features.since("1.36")) amountLists(next, old, places, report);
  else eachAmount(next, old, places.at, report);
}

function eachAmount(next: Resources, old: Resources, at: Place, report: Report): void {
  for (const list of ["limits", "requests"] as const) {
    const after = next?.[list] ?? {};
    const before = old?.[list] ?? {};
    const place = at.field(list);
    for (const name of new Set([...Object.keys(after), ...Object.keys(before)])) {
      if (after[name] === before[name]) continue;
      if (!RESIZABLE.has(name)) report.forbidden(place.key(name), "only cpu and memory resources are mutable");
      else if (after[name] === undefined) report.forbidden(place.key(name), `resource ${list} cannot be removed`);
    }
  }
}

/** Reports a removed amount at its list, and a change of another resource once. */
function amountLists(next: Resources, old: Resources, { at, fixed }: AmountPlaces, report: Report): void {
  let changesOthers = false;
  for (const list of ["limits", "requests"] as const) {
    const after = next?.[list] ?? {};
    const before = old?.[list] ?? {};
    if (Object.keys(before).some((name) => after[name] === undefined)) {
      report.forbidden(at.field(list), `resource ${list} cannot be removed`);
    }
    const names = [...Object.keys(after), ...Object.keys(before)];
    changesOthers ||= names.some((name) => after[name] !== before[name] && !RESIZABLE.has(name));
  }
  if (changesOthers) report.forbidden(fixed, "only cpu and memory resources are mutable");
}
