// The object that an allocation's key in the store names as its holder, as far as the cache knows.
import type { AllocationKey } from "@orch/machinery";
import { type JsonObject, readJson } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";

export interface RecordedHolder {
  /** Key of the holder below the root: `core/services/<namespace>/<name>`. */
  readonly path: string;
  /** Revision of the allocation's key. */
  readonly revision: number;
}

/** @returns undefined when the allocation is free, or its value names no holder */
export function recordedHolder(
  { watchCache, prefix, codec }: ResourceContext,
  allocation: AllocationKey,
): RecordedHolder | undefined {
  const slash = allocation.lastIndexOf("/");
  const item = watchCache.rawItem(allocation.slice(0, slash), allocation.slice(slash + 1));
  const holder = item && holderIn(codec.decode(item.value));
  if (item === undefined || holder?.startsWith(`${prefix}/`) !== true) return undefined;
  return { path: holder.slice(prefix.length + 1), revision: item.modRevision };
}

function holderIn(value: Buffer): string | undefined {
  try {
    const { heldBy } = (readJson(value.toString()) ?? {}) as JsonObject;
    return typeof heldBy === "string" ? heldBy : undefined;
  } catch {
    // Values are written for people; anything may stand there.
    return undefined;
  }
}
