// Warnings about nodes. Sources: KEP-281, "Dynamic Kubelet Configuration"; KEP-4858, "IP/CIDR validation improvements".
import { objectAt, type WarningContext, WarningList, warnOfRange } from "@orch/apis-model";
import type { JsonObject } from "@orch/schema";

/** Returns the warnings about a node: fields without effect, and ranges that are not in canonical form. */
export function nodeWarnings(node: JsonObject, context: WarningContext): readonly string[] {
  const list = new WarningList(context);
  if (!list.since("1.27")) return list.texts;
  const { configSource, externalID, podCIDRs } = objectAt(node, "spec");
  if (configSource !== undefined) list.add("spec.configSource", "the feature is removed");
  if (typeof externalID === "string" && externalID !== "") {
    const { product } = context.vocabulary.openapiText;
    list.add("spec.externalID", `this field is deprecated, and is unused by ${product}`);
  }
  if (!list.since("1.33") || !Array.isArray(podCIDRs)) return list.texts;
  for (const [position, range] of podCIDRs.entries()) warnOfRange(range, `spec.podCIDRs[${position}]`, list);
  return list.texts;
}
