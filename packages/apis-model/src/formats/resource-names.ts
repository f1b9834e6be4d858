// Names of resources in containers, quotas and limit ranges. Source: pkg/apis/core/validation/validation.go,
// pkg/apis/core/helper/helpers.go.
import { qualifiedNameErrors } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import type { Place } from "../model/rules/place";
import type { Report } from "../model/rules/report";
import { NOT_NEGATIVE } from "./format-rules";
import { isNegative, isWhole } from "./quantity-rules";

/** Quantities keyed by resource name. */
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

/** Returns whether the resource is a native one: without a prefix, or with a prefix of the vocabulary. */
export const isNative = (name: string, { resourceNames }: Vocabulary): boolean =>
  !name.includes("/") || name.includes(resourceNames.product);

/** Returns whether the resource is an extended one, such as a device. */
export const isExtendedResource = (name: string, vocabulary: Vocabulary): boolean =>
  !isNative(name, vocabulary) && !name.startsWith("requests.") && qualifiedNameErrors(`requests.${name}`).length === 0;

/** Returns whether limits of the resource may exceed requests. */
export const allowsOvercommit = (name: string, vocabulary: Vocabulary): boolean =>
  isNative(name, vocabulary) && !isHugePages(name);

/** Checks a resource name of a container or a pod. */
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

/** Returns whether a quota can limit the resource, for names without a prefix. */
export const isQuotaResource = (name: string): boolean =>
  QUOTA_RESOURCES.has(name) || isHugePages(name) || name.startsWith(`requests.${HUGE_PAGES}`);

export function quotaResourceName(name: string, at: Place, report: Report): void {
  const errors = qualifiedNameErrors(name);
  if (errors.length > 0) report.misformed(at, name, errors);
  else if (!name.includes("/") && !isQuotaResource(name))
    report.invalid(at, name, "must be a standard resource for quota");
}

/** Requires a non-negative quantity, and an integer for resources that are counted. */
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
