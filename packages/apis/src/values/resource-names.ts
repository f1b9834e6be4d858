// Names of resources that containers ask for, quotas count and ranges bound. Source: facts, validation/core.md "Resources (containers)".
import { qualifiedNameErrors } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import type { Place } from "../model/rules/place";
import type { Report } from "../model/rules/report";
import { NOT_NEGATIVE } from "./format-rules";
import { isNegative, isWhole } from "./quantity-rules";

/** Amounts by name of resource. */
export type ResourceList = Readonly<Record<string, string>>;

const CONTAINER_RESOURCES: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);

const COUNTED_RESOURCES = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
] as const;

const COUNTED: ReadonlySet<string> = new Set(COUNTED_RESOURCES);

const QUOTA_RESOURCES: ReadonlySet<string> = new Set([
  ...CONTAINER_RESOURCES,
  "requests.cpu",
  "requests.memory",
  "requests.storage",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  ...COUNTED_RESOURCES,
]);

const STANDARD_RESOURCES: ReadonlySet<string> = new Set([...QUOTA_RESOURCES, "storage"]);

export const HUGE_PAGES = "hugepages-";

export const isHugePages = (name: string): boolean => name.startsWith(HUGE_PAGES);

/** Resources that the product itself knows: without a prefix, or with one of its own. */
export const isNative = (name: string, { resourceNames }: Vocabulary): boolean =>
  !name.includes("/") || name.includes(resourceNames.product);

/** Resources of somebody else's making, such as devices. */
export const isExtendedResource = (name: string, vocabulary: Vocabulary): boolean =>
  !isNative(name, vocabulary) && !name.startsWith("requests.") && qualifiedNameErrors(`requests.${name}`).length === 0;

/** Whether more may be promised than there is. */
export const allowsOvercommit = (name: string, vocabulary: Vocabulary): boolean =>
  isNative(name, vocabulary) && !isHugePages(name);

/** Of a container, or of a pod as a whole. */
export function containerResourceName(name: string, at: Place, report: Report): void {
  if (CONTAINER_RESOURCES.has(name)) return;
  const errors = qualifiedNameErrors(name);
  if (errors.length > 0) report.misformed(at, name, errors);
  else if (!name.includes("/")) {
    if (isHugePages(name)) return;
    standardOrQualified(name, at, report);
    report.invalid(at, name, "must be a standard resource for containers");
  } else if (!isNative(name, report.vocabulary) && !isExtendedResource(name, report.vocabulary)) {
    report.invalid(at, name, "does not have the form of an extended resource's name");
  }
}

export function resourceName(name: string, at: Place, report: Report): void {
  const errors = qualifiedNameErrors(name);
  if (errors.length > 0) report.misformed(at, name, errors);
  else standardOrQualified(name, at, report);
}

/** Resources without a prefix that a quota can bound. */
export const isQuotaResource = (name: string): boolean =>
  QUOTA_RESOURCES.has(name) || isHugePages(name) || name.startsWith(`requests.${HUGE_PAGES}`);

export function quotaResourceName(name: string, at: Place, report: Report): void {
  const errors = qualifiedNameErrors(name);
  if (errors.length > 0) report.misformed(at, name, errors);
  else if (!name.includes("/") && !isQuotaResource(name))
    report.invalid(at, name, "must be a standard resource for quota");
}

/** Not negative; a whole number where the resource is counted rather than measured. */
export function resourceQuantity(name: string, quantity: string, at: Place, report: Report): void {
  if (isNegative(quantity)) report.invalid(at, quantity, NOT_NEGATIVE);
  if (
    (COUNTED.has(name) || (name.includes("/") && isExtendedResource(name, report.vocabulary))) &&
    !isWhole(quantity)
  ) {
    report.invalid(at, quantity, "must be an integer");
  }
}

function standardOrQualified(name: string, at: Place, report: Report): void {
  if (name.includes("/") || STANDARD_RESOURCES.has(name) || isHugePages(name)) return;
  report.invalid(at, name, "must be a standard resource type or fully qualified");
}
