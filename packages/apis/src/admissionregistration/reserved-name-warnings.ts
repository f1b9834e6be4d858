// Warning about names of admission configurations that are read from files. Source: KEP-5793, "Manifest based admission
// control config".
import { fieldAt, type WarningContext } from "@orch/apis-model";
import type { JsonObject } from "@orch/schema";

/** Returns the warning about an object whose name ends like those of configurations in files. */
export function reservedNameWarnings(object: JsonObject, { vocabulary, features }: WarningContext): readonly string[] {
  const { staticConfigurationEnd: end } = vocabulary.objectNames;
  const name = fieldAt(object, ["metadata", "name"]);
  if (!features.since("1.36") || typeof name !== "string" || !name.endsWith(end)) return [];
  const reason = "are reserved for static manifest-based configurations and cannot be managed via the API";
  return [`metadata.name: names ending with ${JSON.stringify(end)} ${reason}`];
}
