// Outcome of one plugin for a request, run through the chain as in a server.
import type { JsonObject, JsonValue } from "@orch/schema";
import type { AdmissionDependencies } from "../contract/dependencies";
import type { PluginFactory } from "../contract/plugin";
import type { RequestParts } from "./admission-request";
import { chainWith } from "./answered";

export interface PluginSetting {
  readonly dependencies?: Partial<AdmissionDependencies>;
  readonly configuration?: JsonValue;
}

/**
 * Runs both phases, one after the other.
 * @param plugin undefined: it is disabled
 * @returns the object as the plugin leaves it, or `<code> <message>` of its refusal
 */
export async function outcomeOf(
  plugin: PluginFactory | undefined,
  parts: RequestParts,
  { dependencies, configuration }: PluginSetting = {},
): Promise<JsonObject | string | undefined> {
  const { ask } = chainWith({
    plugins: plugin === undefined ? [] : [plugin],
    ...(dependencies && { dependencies }),
    ...(plugin !== undefined && configuration !== undefined && { configurations: { [plugin.name]: configuration } }),
  });
  const answer = await ask(parts);
  return "object" in answer ? answer.object : `${answer.refused.code} ${answer.refused.message}`;
}

/** Returns the creation of a pod named "p" in the namespace "shop". */
export const newPod = (object: JsonObject, parts: RequestParts = {}): RequestParts => ({
  plural: "pods",
  name: "p",
  object,
  ...parts,
});

/** Returns the update of the pod of `newPod`. */
export const changedPod = (object: JsonObject, oldObject: JsonObject, parts: RequestParts = {}): RequestParts => ({
  ...newPod(object, parts),
  operation: "UPDATE",
  oldObject,
});

/** Returns a pod with one container, unless its spec says otherwise. */
export const podOf = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name: "p", namespace: "shop", ...metadata },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
