// Validation of the resize subresource of pods. Source: KEP-1287, "In-place Update of Pod Resources".

import { type Place, type Report, unchanged, updateValidator } from "@orch/apis-model";
import type { coreV1, JsonObject } from "@orch/schema";
import { qualityOfService } from "./quality-of-service";

const RESIZABLE: ReadonlySet<string> = new Set(["cpu", "memory"]);

export const podResizeErrors = updateValidator<coreV1.Pod>((next, old, at, report) => {
  const place = at.field("spec");
  if (next.spec === undefined || old.spec === undefined) return;
  if (old.metadata?.annotations?.[report.vocabulary.annotations.configMirror] !== undefined) {
    report.forbidden(at, "static pods cannot be resized");
    return;
  }
  const quality = qualityOfService(next.spec as unknown as JsonObject);
  const before = old.status?.qosClass || qualityOfService(old.spec as unknown as JsonObject);
  if (quality !== before) {
    report.invalid(place, quality, "Pod QOS Class may not change as a result of resizing");
  }
  for (const list of ["containers", "initContainers"] as const) {
    next.spec[list]?.forEach((container, position) => {
      const stored = old.spec?.[list]?.[position];
      const of = place.field(list).item(position);
      if (stored === undefined || unchanged(container.resources ?? {}, stored.resources ?? {})) return;
      if (list === "initContainers" && stored.restartPolicy !== "Always") {
        report.forbidden(of.field("resources"), "only containers that run beside the others can be resized");
        return;
      }
      amounts(container.resources, stored.resources, of.field("resources"), report);
    });
  }
});

type Resources = coreV1.ResourceRequirements | undefined;

/** Allows changes of cpu and memory only. Requests and limits must not be removed. */
function amounts(next: Resources, old: Resources, at: Place, report: Report): void {
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
