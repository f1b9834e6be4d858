// Numbers and sizes of objects by kind, namespace and field manager.
import type { ApiObject } from "../values/api-object";

export interface Amount {
  readonly objects: number;
  readonly bytes: number;
}

export const GROUPINGS = ["kind", "namespace", "manager"] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Groups that are told apart by grouping. Objects of further ones count together. */
const GROUPS_MAX = 5000;
const FURTHER = "(others)";
const NONE = "(none)";

/** Adds objects up. Bytes are those of the JSON form. */
export class ObjectSizes {
  total: Amount = { objects: 0, bytes: 0 };
  private readonly amounts = new Map(GROUPINGS.map((each) => [each, new Map<string, Amount>()]));
  private readonly encoder = new TextEncoder();

  /** @param kind qualified name of the resource */
  add(kind: string, object: ApiObject): void {
    const bytes = this.encoder.encode(JSON.stringify(object)).length;
    const { namespace = NONE, managedFields } = object.metadata;
    this.total = added(this.total, bytes);
    this.count("kind", kind, bytes);
    this.count("namespace", namespace, bytes);
    const managers = new Set(managedFields?.map(({ manager = NONE }) => manager) ?? [NONE]);
    for (const manager of managers) this.count("manager", manager, bytes);
  }

  /** Returns the groups, the largest first. */
  by(grouping: Grouping): readonly (readonly [name: string, amount: Amount])[] {
    return [...(this.amounts.get(grouping) ?? [])].sort(([, one], [, other]) => other.bytes - one.bytes);
  }

  private count(grouping: Grouping, name: string, bytes: number): void {
    const map = this.amounts.get(grouping);
    if (map === undefined) return;
    const key = map.has(name) || map.size < GROUPS_MAX ? name : FURTHER;
    map.set(key, added(map.get(key) ?? { objects: 0, bytes: 0 }, bytes));
  }
}

const added = (amount: Amount, bytes: number): Amount => ({
  objects: amount.objects + 1,
  bytes: amount.bytes + bytes,
});
