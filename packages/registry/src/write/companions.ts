// Objects of another resource that are written and removed together with the allocations that they represent, such as
// the IPAddress of a cluster IP. See unique-allocations.ts of the machinery package.
import { type AllocationCompanions, type AllocationKey, metaOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { SeenAllocations } from "../context/seen-allocations";
import { resourcePath } from "../objects/key-layout";
import { companionBytes } from "./companion-text";

export interface CompanionWrite {
  readonly allocation: AllocationKey;
  /** Key below the root. */
  readonly key: string;
  /** Revision of the object that is replaced; 0: there is none. */
  readonly revision: number;
  /** The encoded bytes. */
  readonly value: Buffer;
}

interface Companions {
  readonly rules: AllocationCompanions;
  /** The resource of the companions. */
  readonly context: ResourceContext;
  /** Findings of the writes of holders. */
  readonly seen: SeenAllocations;
  /** Whether a transaction can write both. Otherwise the companions are left to their repair. */
  readonly isSameStore: boolean;
}

/** Returns the companions of the allocations of a resource; undefined when it has none. */
export function companionsIn(holders: ResourceContext): Companions | undefined {
  const rules = holders.definition.allocations?.companions;
  const context = rules && holders.peer(rules.resource);
  return rules === undefined || context === undefined
    ? undefined
    : { rules, context, seen: holders.seenAllocations, isSameStore: context.store === holders.store };
}

/** Returns whether a free allocation can have its companion written: none exists, or only one that can be replaced. */
export function isReplaceable(companions: Companions | undefined, allocation: AllocationKey): boolean {
  const name = companions?.rules.nameOf(allocation);
  if (companions === undefined || name === undefined) return true;
  const present = companions.context.cache.peek(name);
  return present === undefined || companions.rules.isCompanion(present.object());
}

/** Returns the write of the companion of a taken allocation; undefined when it has none. */
export function companionWrite(
  { rules, context, seen, isSameStore }: Companions,
  allocation: AllocationKey,
  holder: JsonObject,
): CompanionWrite | undefined {
  const companion = isSameStore ? rules.of(allocation, holder) : undefined;
  if (companion === undefined) return undefined;
  const key = keyOf(context, companion.name);
  const present = seen.isGone(key) ? undefined : context.cache.peek(companion.name);
  return {
    allocation,
    key,
    revision: present?.resourceVersion ?? 0,
    value: context.codec.encode(companionBytes(context, companion)),
  };
}

/**
 * Returns the key, below the root, of the companion to remove with a released allocation. One that belongs to another
 * object, or that has finalizers, is left to its repair.
 */
export function keyRemovedAlong(
  companions: Companions | undefined,
  allocation: AllocationKey,
  holder: JsonObject | undefined,
): string | undefined {
  const name = companions?.rules.nameOf(allocation);
  if (companions?.isSameStore !== true || name === undefined || holder === undefined) return undefined;
  const { rules, context } = companions;
  const present = context.cache.peek(name)?.object();
  const isKept =
    present !== undefined && (!rules.belongsTo(present, holder) || (metaOf(present).finalizers ?? []).length > 0);
  return isKept ? undefined : keyOf(context, name);
}

const keyOf = ({ definition: { group, plural } }: ResourceContext, name: string): string =>
  `${resourcePath(group, plural)}/${name}`;
