// Validation of resize policies of containers. Source: KEP-1287, "In-place Update of Pod Resources".

import type { Place, Report } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";

const RESOURCES = ["cpu", "memory"] as const;
const POLICIES = ["NotRequired", "RestartContainer"] as const;

/** @param podPolicy restart policy of the pod */
export function resizePolicies(
  { resizePolicy: list = [] }: Pick<coreV1.Container, "resizePolicy">,
  podPolicy: string | undefined,
  at: Place,
  report: Report,
): void {
  if (list.length === 0 || !report.features.isOn("InPlacePodVerticalScaling")) return;
  const place = at.field("resizePolicy");
  const seen = new Set<string>();
  list.forEach(({ resourceName = "", restartPolicy = "" }, position) => {
    if (seen.has(resourceName)) report.duplicate(place.item(position), resourceName);
    seen.add(resourceName);
    word(resourceName, RESOURCES, place, report);
    word(restartPolicy, POLICIES, place, report);
    if (podPolicy === "Never" && restartPolicy !== "NotRequired") {
      report.invalid(place, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
  });
}

function word(value: string, known: readonly string[], at: Place, report: Report): void {
  if (value === "") report.required(at);
  else if (!known.includes(value)) report.notSupported(at, value, known);
}

/** An init container that ends before the containers start is never restarted for a resize. */
export function initResizePolicies(container: coreV1.Container, at: Place, report: Report): void {
  if (container.restartPolicy === "Always" || !report.features.isOn("InPlacePodVerticalScalingInitContainers")) return;
  container.resizePolicy?.forEach(({ restartPolicy }, position) => {
    if (restartPolicy !== "RestartContainer") return;
    const place = at.field("resizePolicy").item(position).field("restartPolicy");
    report.invalid(place, restartPolicy, "must not be set to 'RestartContainer' for non-sidecar initContainers");
  });
}
