// Warnings about resource quotas. Source: Kubernetes documentation, "Resource Quotas".
import { fieldAt, quantityOf, type WarningContext } from "@orch/apis-model";
import { compareQuantities, isObject, type JsonObject } from "@orch/schema";

const RESOURCES = ["cpu", "memory", "storage", "ephemeral-storage"] as const;

/** Resources whose requests have a short name. */
const SHORT_NAMES: ReadonlySet<string> = new Set(["cpu", "memory"]);

/** Returns the warnings about a new quota: requests that are greater than the limits. */
export function quotaWarnings(quota: JsonObject, { features, old }: WarningContext): readonly string[] {
  const hard = fieldAt(quota, ["spec", "hard"]);
  if (old !== undefined || !isObject(hard) || !features.since("1.30")) return [];
  return RESOURCES.flatMap((name) => {
    const long = `requests.${name}`;
    const requests = SHORT_NAMES.has(name) && hard[long] === undefined ? name : long;
    const limits = `limits.${name}`;
    const [asked, limit] = [hard[requests], hard[limits]];
    if (typeof asked !== "string" || typeof limit !== "string") return [];
    if (compareQuantities(quantityOf(asked), quantityOf(limit)) <= 0) return [];
    return [`ResourceQuota ${requests} (${asked}) should be less than ${limits} (${limit})`];
  });
}
