import { type BuiltInResource, objectAt, objectsAt, roundResources } from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";
import { limitRangeErrors } from "./limit-range-validation";

export const limitRanges = {
  group: "core",
  kind: "LimitRange",
  plural: "limitranges",
  shortNames: ["limits"],
  scope: "Namespaced",
  versions: [{ version: "v1" }],
  defaults: { then: (range) => objectsAt(objectAt(range, "spec"), "limits").forEach(defaultLimits) },
  rules: { nameFormat: "subdomain", createOnUpdate: true, create: nameByUid, validate: limitRangeErrors },
} as const satisfies BuiltInResource;

const AMOUNTS = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"];

function defaultLimits(item: JsonObject): void {
  for (const amounts of AMOUNTS) roundResources(item, amounts);
  if (item["type"] !== "Container") return;
  join(item, "default", "max");
  join(item, "defaultRequest", "default");
  join(item, "defaultRequest", "min");
}

/** Completes a list of amounts from another list. */
function join(item: JsonObject, field: string, from: string): void {
  const known = item[from];
  if (isObject(known) && Object.keys(known).length > 0) item[field] = { ...known, ...objectAt(item, field) };
}

/** Names an unnamed limit range by its uid. */
function nameByUid(range: JsonObject): void {
  const metadata = objectAt(range, "metadata");
  metadata["name"] ||= metadata["uid"] ?? "";
}
