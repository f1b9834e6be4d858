// Reference model of the ownership rules in their simplest form: an object is a list of paths with values, an owner a
// set of paths. It shares no code with the implementation, and favours clarity over speed.
import type { JsonObject, JsonValue, RuntimeType, StructType } from "@orch/schema";

/** The value at a path. */
interface Place {
  /** JSON of a value that is owned as a whole; a mark for an object or list with parts. */
  readonly value: string;
  readonly kind: "whole" | "struct" | "map" | "list";
  /** Whether the path is a map key or a list item. */
  readonly isEntry: boolean;
  readonly type: RuntimeType;
}

/** Places by path: the steps of a path, each preceded by "/". */
type Places = Map<string, Place>;

export type Outcome = { readonly kind: "done" } | { readonly kind: "conflict"; readonly paths: readonly string[] };

export class OwnershipModel {
  places: Places = new Map();
  /** Owned paths by manager and operation. */
  owners = new Map<string, Set<string>>();
  private exists = false;

  constructor(readonly spec: StructType) {}

  /**
   * Updates the object.
   * @param spec the new spec with its defaults
   */
  update(manager: string, spec: JsonObject): void {
    const next = placesOf(this.spec, spec);
    const { written, removed } = changes(this.places, next);
    const isTracked = !this.exists || this.owners.size > 0;
    this.places = next;
    this.exists = true;
    if (!isTracked) return;
    for (const owned of this.owners.values()) subtract(owned, [...written, ...removed]);
    const mine = this.owners.get(`${manager} (Update)`) ?? new Set();
    for (const path of written) mine.add(path);
    this.owners.set(`${manager} (Update)`, mine);
    this.forgetEmpty();
  }

  apply(manager: string, spec: JsonObject, force: boolean): Outcome {
    const me = `${manager} (Apply)`;
    const owners = new Map([...this.owners].map(([owner, paths]) => [owner, new Set(paths)]));
    if (this.exists && owners.size === 0) owners.set("before-first-apply (Update)", new Set(this.places.keys()));
    const applied = placesOf(this.spec, spec);
    const mine = new Set([...applied].filter(([path, place]) => isClaimed(path, place, applied)).map(([path]) => path));
    const last = owners.get(me) ?? new Set<string>();
    owners.delete(me);
    // A list that is applied empty has no owner and stays.
    const empty = [...applied].filter(([path, { kind }]) => kind === "list" && !hasBelow(applied.keys(), path));
    const staying = new Set([...mine, ...empty.map(([path]) => path)]);
    const held = new Set([...staying, ...[...owners.values()].flatMap((paths) => [...paths])]);
    const next = withdrawn(new Map([...this.places, ...applied]), last, { held, mine: staying });
    const { written, removed } = changes(this.places, next);
    const conflicts = [...owners].flatMap(([owner, owned]) =>
      written.filter((path) => owned.has(path)).map((path) => `${owner}${path}`),
    );
    if (conflicts.length > 0 && !force) return { kind: "conflict", paths: conflicts.sort() };
    for (const owned of owners.values()) subtract(owned, [...written, ...removed]);
    owners.set(me, mine);
    this.owners = owners;
    this.places = next;
    this.exists = true;
    this.addDefaults();
    this.forgetEmpty();
    return { kind: "done" };
  }

  private forgetEmpty(): void {
    for (const [owner, paths] of this.owners) if (paths.size === 0) this.owners.delete(owner);
  }

  private addDefaults(): void {
    for (const [path, { type }] of [...this.places]) {
      if (type.kind !== "struct" || type.relation === "atomic") continue;
      for (const field of type.fields) {
        const at = `${path}/${field.name}`;
        if (field.default === undefined || this.places.has(at)) continue;
        this.places.set(at, { value: JSON.stringify(field.default), kind: "whole", isEntry: false, type: field.type });
      }
    }
  }
}

export function placesOf(spec: StructType, value: JsonObject): Places {
  const places: Places = new Map();
  place(places, "/spec", spec, value, false);
  return places;
}

function place(places: Places, path: string, type: RuntimeType, value: JsonValue, isEntry: boolean): void {
  const whole = { value: JSON.stringify(value), kind: "whole", isEntry, type } as const;
  if (type.kind === "struct" && type.relation === "granular") {
    places.set(path, { value: "struct", kind: "struct", isEntry, type });
    for (const [name, member] of Object.entries(value as JsonObject)) {
      place(places, `${path}/${name}`, type.fieldByName.get(name)?.type as RuntimeType, member, false);
    }
  } else if (type.kind === "map" && type.relation === "granular") {
    places.set(path, { value: "map", kind: "map", isEntry, type });
    for (const [name, member] of Object.entries(value as JsonObject)) {
      place(places, `${path}/${name}`, type.value, member, true);
    }
  } else if (type.kind === "list" && type.relation !== "atomic") {
    places.set(path, { value: "list", kind: "list", isEntry, type });
    for (const item of value as JsonValue[]) {
      const key = type.relation === "map" ? (item as JsonObject)["key"] : item;
      place(places, `${path}/${String(key)}`, type.element, item, true);
    }
  } else places.set(path, whole);
}

/** Reports whether an applier owns a path: values, map keys, list items, and objects that are given empty. */
function isClaimed(path: string, { kind, isEntry }: Place, all: Places): boolean {
  return kind === "whole" || isEntry || (kind !== "list" && !hasBelow(all.keys(), path));
}

function changes(old: Places, next: Places): { readonly written: string[]; readonly removed: string[] } {
  return {
    written: [...next].filter(([path, { value }]) => old.get(path)?.value !== value).map(([path]) => path),
    removed: [...old.keys()].filter((path) => !next.has(path)),
  };
}

interface Claims {
  /** Paths held by any owner, and `mine`. */
  readonly held: ReadonlySet<string>;
  /** Paths held by the applier, and lists that it applies empty. */
  readonly mine: ReadonlySet<string>;
}

/** Removes the paths of the last apply that no owner holds. */
function withdrawn(places: Places, last: ReadonlySet<string>, { held, mine }: Claims): Places {
  const next = new Map(places);
  for (const [path, { kind, isEntry }] of places) {
    // An entry is held only by owners of the entry itself, not by owners of fields inside it.
    if (held.has(path) || (!isEntry && hasBelow(held, path))) continue;
    // A struct is removed when anything inside it was applied; other values are removed when they were applied
    // themselves.
    const goes = last.has(path) || (kind === "struct" && !isEntry && hasBelow(last, path));
    if (goes && !isKeyOfHeldItem(path, places, held)) {
      for (const other of places.keys()) if (other === path || other.startsWith(`${path}/`)) next.delete(other);
    }
  }
  dropEmptied(places, next, { held, mine });
  return next;
}

/** Reports whether a path is the key of an item that stays. */
function isKeyOfHeldItem(path: string, places: Places, held: ReadonlySet<string>): boolean {
  const [, list, item, name] = /^(.*)\/([^/]*)\/([^/]*)$/.exec(path) ?? [];
  const type = places.get(list ?? "")?.type;
  return name === "key" && type?.kind === "list" && type.relation === "map" && held.has(`${list}/${item}`);
}

/** Removes values that became empty: an entry unless it is held itself, any other value unless it is applied empty. */
function dropEmptied(before: Places, next: Places, { held, mine }: Claims): void {
  const deepestFirst = [...next.keys()].sort((one, other) => other.split("/").length - one.split("/").length);
  for (const path of deepestFirst) {
    const isEmptied = hasBelow(before.keys(), path) && !hasBelow(next.keys(), path);
    const stays = before.get(path)?.isEntry === true ? held : mine;
    if (isEmptied && !stays.has(path)) next.delete(path);
  }
}

function hasBelow(paths: Iterable<string>, path: string): boolean {
  for (const each of paths) if (each.startsWith(`${path}/`)) return true;
  return false;
}

function subtract(owned: Set<string>, paths: readonly string[]): void {
  for (const path of paths) owned.delete(path);
}
