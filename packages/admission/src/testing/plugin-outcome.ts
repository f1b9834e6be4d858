// What one plugin makes of a request, asked through the chain as a server asks it.
import type { JsonObject, JsonValue } from "@orch/schema";
import { createAdmissionChain } from "../chain";
import type { PluginFactory } from "../plugin";
import type { AdmissionWorld } from "../world";
import { type RequestParts, requestOf, worldOf } from "./admission-request";

export interface PluginSetting {
  readonly world?: Partial<AdmissionWorld>;
  readonly configuration?: JsonValue;
}

/**
 * Both phases, one after the other.
 * @param plugin undefined: it is off
 * @returns the object as the plugin leaves it, or `<code> <message>` of its refusal
 */
export async function outcomeOf(
  plugin: PluginFactory | undefined,
  parts: RequestParts,
  { world, configuration }: PluginSetting = {},
): Promise<JsonObject | string | undefined> {
  const chain = createAdmissionChain({
    plugins: plugin === undefined ? [] : [plugin],
    world: worldOf(world),
    ...(plugin !== undefined &&
      configuration !== undefined && { configurations: new Map([[plugin.name, configuration]]) }),
  });
  const object = parts.object && structuredClone(parts.object);
  const request = requestOf({ ...parts, object });
  try {
    await chain.mutate(request);
    await chain.validate(request);
    return request.object;
  } catch (error) {
    const { code, message } = error as { readonly code?: number; readonly message: string };
    return `${code} ${message}`;
  }
}

/** A creation of a pod named "p" in the namespace "shop". */
export const newPod = (object: JsonObject, parts: RequestParts = {}): RequestParts => ({
  plural: "pods",
  name: "p",
  object,
  ...parts,
});

/** Its update. */
export const changedPod = (object: JsonObject, oldObject: JsonObject, parts: RequestParts = {}): RequestParts => ({
  ...newPod(object, parts),
  operation: "UPDATE",
  oldObject,
});

/** One container, unless its specification says otherwise. */
export const podOf = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name: "p", namespace: "shop", ...metadata },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
