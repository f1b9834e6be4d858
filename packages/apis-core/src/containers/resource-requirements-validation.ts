// Validation of container resources. Source: pkg/apis/core/validation/validation.go.

import {
  allowsOvercommit,
  containerResourceName,
  isHugePages,
  type Place,
  quantityOf,
  type Report,
  type ResourceList,
  type Rule,
  resourceQuantity,
} from "@orch/apis-model";
import { compareQuantities, type coreV1, memberOf } from "@orch/schema";
import { splitsPage } from "./huge-pages";
import { storesSplitPages } from "./stored-pod-spec";

/** Checks the names and amounts of a resource list. */
export const containerResources: Rule<ResourceList> = (list, at, report) => {
  for (const name in list) {
    const place = at.key(name);
    containerResourceName(name, place, report);
    const amount = list[name] as string;
    resourceQuantity(name, amount, place, report);
    if (splitsPage(name, amount) && report.features.since("1.26") && !storesSplitPages(report)) {
      report.invalid(place, amount, `${amount} is not positive integer multiple of ${name}`);
    }
  }
};

export const resourceRequirements: Rule<coreV1.ResourceRequirements> = ({ limits, requests }, at, report) => {
  if (limits === undefined && requests === undefined) return;
  if (limits !== undefined) containerResources(limits, at.field("limits"), report);
  if (requests !== undefined) {
    containerResources(requests, at.field("requests"), report);
    for (const name in requests) {
      requestWithinLimit(name, requests[name] as string, limits && memberOf(limits, name), at, report);
    }
  }
  const names = [...Object.keys(limits ?? {}), ...Object.keys(requests ?? {})];
  if (names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory")) {
    report.forbidden(at, "HugePages require cpu or memory");
  }
};

function requestWithinLimit(name: string, request: string, limit: string | undefined, at: Place, report: Report): void {
  const isExact = !allowsOvercommit(name, report.vocabulary);
  if (limit === undefined) {
    if (isExact) report.required(at.field("limits"), "Limit must be set for non overcommitable resources");
    return;
  }
  if (request === limit) return;
  const order = compareQuantities(quantityOf(request), quantityOf(limit));
  if (isExact && order !== 0) report.invalid(at.field("requests"), request, `must be equal to ${name} limit`);
  else if (order > 0) report.invalid(at.field("requests"), request, `must be less than or equal to ${name} limit`);
}
