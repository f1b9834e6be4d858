// Objects of another resource that are written and removed together with the allocations that they represent, such as
// the IPAddress of a cluster IP. See unique-allocations.ts of the machinery package.
import { type AllocationCompanions, type AllocationKey, copyJson, metaOf, stampNewObject } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import { resourcePath } from "../objects/key-layout";
import { encodeHub } from "../objects/resource-form";
import { trackFields } from "./field-tracking";
import { toHub } from "./write-step";

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
}

/**
 * Returns the companions that transactions of a resource can write. Companions in another store are left to their
 * repair, because no transaction spans two stores.
 */
export function companionsIn(holders: ResourceContext): Companions | undefined {
  const rules = holders.definition.allocations?.companions;
  const context = rules && holders.peer(rules.resource);
  return rules === undefined || context === undefined || context.store !== holders.store
    ? undefined
    : { rules, context };
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
  { rules, context }: Companions,
  allocation: AllocationKey,
  holder: JsonObject,
): CompanionWrite | undefined {
  const object = rules.of(allocation, holder);
  const name = rules.nameOf(allocation);
  if (object === undefined || name === undefined) return undefined;
  return {
    allocation,
    key: keyOf(context, name),
    revision: context.cache.peek(name)?.resourceVersion ?? 0,
    value: context.codec.encode(newObject(context, object)),
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
  if (companions === undefined || name === undefined || holder === undefined) return undefined;
  const { rules, context } = companions;
  const present = context.cache.peek(name)?.object();
  const isKept =
    present !== undefined && (!rules.belongsTo(present, holder) || (metaOf(present).finalizers ?? []).length > 0);
  return isKept ? undefined : keyOf(context, name);
}

const keyOf = ({ definition: { group, plural } }: ResourceContext, name: string): string =>
  `${resourcePath(group, plural)}/${name}`;

function newObject(context: ResourceContext, object: JsonObject): Buffer {
  const { definition, vocabulary } = context;
  const version = definition.storage;
  const next = copyJson(object);
  trackFields(context, { old: undefined, next }, { version, manager: vocabulary.fieldManagers.apiserver });
  const hub = toHub(context, version, next);
  stampNewObject(hub, context);
  return encodeHub(context.form, hub);
}
