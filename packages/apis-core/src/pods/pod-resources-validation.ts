// Validation of the resources of a pod as a whole. Source: KEP-2837, "Pod Level Resource Specifications";
// pkg/apis/core/validation/validation.go.

import { isHugePages, type Place, quantityOf, type Report, type ResourceList, type Rule } from "@orch/apis-model";
import { compareQuantities, type coreV1, memberOf, quantityText } from "@orch/schema";
import { resourceRequirements } from "../containers/resource-requirements-validation";
import { isPodLevelResource, totalOf } from "./pod-level-resources";

export const podResources: Rule<coreV1.PodSpec> = (spec, at, report) => {
  const { resources } = spec;
  if (resources === undefined || !report.features.isOn("PodLevelResources")) return;
  const place = at.field("resources");
  if (spec.os?.name === "windows") {
    report.forbidden(place, "may not be set for a windows pod");
    return;
  }
  if (resources.claims !== undefined) {
    report.forbidden(place.field("claims"), "claims may not be set for Resources at pod-level");
  }
  resourceRequirements(resources, place, report);
  for (const list of ["limits", "requests"] as const) {
    for (const name of Object.keys(resources[list] ?? {})) {
      if (isPodLevelResource(name)) continue;
      const key = place.field(list).key(name);
      // An invalid name is reported only as that.
      const path = key.toString();
      if (report.errors.some((error) => error.path === path)) continue;
      report.notSupported(key, name, ["cpu", "hugepages-", "memory"]);
    }
  }
  consistency(spec, resources, place, report);
};

/** Requires that the pod has at least what its containers request, and that no container has a higher limit. */
function consistency(spec: coreV1.PodSpec, own: coreV1.ResourceRequirements, at: Place, report: Report): void {
  const requests = own.requests ?? {};
  for (const [name, total] of totalOf(spec, "requests")) {
    const request = memberOf(requests, name);
    if (request === undefined || compareQuantities(total, quantityOf(request)) <= 0) continue;
    const text = `must be greater than or equal to aggregate container requests of ${quantityText(total)}`;
    report.invalid(at.field("requests").key(name), request, text);
  }
  const limits = own.limits ?? {};
  for (const [name, total] of totalOf(spec, "limits")) {
    const limit = isHugePages(name) ? memberOf(limits, name) : undefined;
    if (limit === undefined || compareQuantities(total, quantityOf(limit)) <= 0) continue;
    const text = `must be greater than or equal to aggregate container limits of ${quantityText(total)}`;
    report.invalid(at.field("limits").key(name), limit, text);
  }
  spec.containers?.forEach(({ resources }, position) => {
    const place = at.field("containers").item(position);
    belowLimits(resources?.limits ?? {}, limits, place, report);
  });
}

function belowLimits(amounts: ResourceList, limits: ResourceList, at: Place, report: Report): void {
  for (const [name, amount] of Object.entries(amounts)) {
    const limit = memberOf(limits, name);
    if (limit === undefined || compareQuantities(quantityOf(amount), quantityOf(limit)) <= 0) continue;
    report.invalid(at.key(name).field("limits"), amount, `must be less than or equal to pod limits of ${limit}`);
  }
}
