// Views over the JSON of an object, typed by its schema. Nothing is copied: a part is adapted when the expression comes to it.
import { type JsonArray, type JsonObject, type JsonValue, memberOf } from "@orch/schema";
import { CelList, CelMap, type CelValue } from "../values/cel-value";
import { equal, type Steps } from "../values/equality";

export type Adapt = (json: JsonValue) => CelValue;

/** How two lists of a place are compared and joined: by place, as sets, or as maps by the keys of their elements. */
export type ListKind =
  | { readonly kind: "atomic" }
  | { readonly kind: "set" }
  | { readonly kind: "map"; readonly keys: readonly string[] };

abstract class KindList extends CelList {
  constructor(private readonly kind: ListKind) {
    super();
  }

  /** Elements of a set and of a map have no order. */
  override equals(other: CelList, steps: Steps): boolean | undefined {
    if (this.kind.kind === "atomic") return undefined;
    if (other.size !== this.size) return false;
    const byIdentity = this.index(steps);
    for (let index = 0; index < other.size; index += 1) {
      steps.step(4);
      const item = other.at(index);
      const own = byIdentity.get(this.identity(item));
      if (own === undefined || !equal(own, item, steps)) return false;
    }
    return true;
  }

  /** What the other has of the same key takes the place; what it has beside comes behind. */
  override concat(other: CelList, steps: Steps): CelList | undefined {
    if (this.kind.kind === "atomic") return undefined;
    steps.step(4 * (this.size + other.size));
    const joined = this.index(steps);
    for (let index = 0; index < other.size; index += 1) {
      const item = other.at(index);
      const identity = this.identity(item);
      if (this.kind.kind === "map" || !joined.has(identity)) joined.set(identity, item);
    }
    return new JoinedList([...joined.values()], this.kind);
  }

  private index(steps: Steps): Map<string, CelValue> {
    const byIdentity = new Map<string, CelValue>();
    for (let index = 0; index < this.size; index += 1) {
      steps.step(4);
      const item = this.at(index);
      byIdentity.set(this.identity(item), item);
    }
    return byIdentity;
  }

  private identity(item: CelValue): string {
    if (this.kind.kind !== "map" || !(item instanceof CelMap)) return shown(item);
    return this.kind.keys.map((key) => shown(item.get(key) ?? null)).join(" ");
  }
}

/** Of a list or a map, so many views at most are kept for the next who asks. */
const KEPT_MAX = 256;

export class SchemaList extends KindList {
  private views: CelValue[] | undefined;
  constructor(
    private readonly json: JsonArray,
    private readonly adapt: Adapt,
    kind: ListKind,
  ) {
    super(kind);
  }
  get size(): number {
    return this.json.length;
  }
  at(index: number): CelValue {
    const json = this.json[index] as JsonValue;
    if (typeof json !== "object" || index >= KEPT_MAX) return this.adapt(json);
    this.views ??= [];
    const known = this.views[index];
    if (known !== undefined) return known;
    const made = this.adapt(json);
    this.views[index] = made;
    return made;
  }
}

/** Of a set or a map and what came to it. */
class JoinedList extends KindList {
  constructor(
    private readonly items: readonly CelValue[],
    kind: ListKind,
  ) {
    super(kind);
  }
  get size(): number {
    return this.items.length;
  }
  at(index: number): CelValue {
    return this.items[index] as CelValue;
  }
}

/** Tells scalars apart; objects in a set are told apart by comparing. */
function shown(value: CelValue): string {
  return typeof value === "string"
    ? JSON.stringify(value)
    : typeof value === "object"
      ? typeof value
      : `${typeof value} ${value}`;
}

/** An object with names of any kind and values of one. */
export class SchemaMap extends CelMap {
  private names: readonly string[] | undefined;
  private views: Map<string, CelValue> | undefined;
  constructor(
    private readonly json: JsonObject,
    private readonly adapt: Adapt,
  ) {
    super();
  }
  get size(): number {
    return this.keys().length;
  }
  get(key: CelValue): CelValue | undefined {
    if (typeof key !== "string") return undefined;
    const value = memberOf(this.json, key);
    if (value === undefined) return undefined;
    return typeof value === "object" ? this.view(key, value) : this.adapt(value);
  }
  private view(key: string, value: JsonValue): CelValue {
    this.views ??= new Map();
    const known = this.views.get(key);
    if (known !== undefined) return known;
    const made = this.adapt(value);
    if (this.views.size < KEPT_MAX) this.views.set(key, made);
    return made;
  }
  has(key: CelValue): boolean {
    return typeof key === "string" && memberOf(this.json, key) !== undefined;
  }
  keys(): readonly string[] {
    this.names ??= Object.keys(this.json);
    return this.names;
  }
}

export interface Property {
  /** In the object. */
  readonly name: string;
  readonly adapt: Adapt;
}

/** An object whose properties the schema lists. */
export class SchemaObject extends CelMap {
  override readonly typeName = "object";
  constructor(
    private readonly json: JsonObject,
    /** By the names that expressions use; where a name may be written in two ways, by both. */
    private readonly properties: ReadonlyMap<string, Property>,
  ) {
    super();
  }
  get size(): number {
    return this.keys().length;
  }
  get(key: CelValue): CelValue | undefined {
    const property = typeof key === "string" ? this.properties.get(key) : undefined;
    if (property === undefined) return undefined;
    const value = memberOf(this.json, property.name);
    return value === undefined ? undefined : property.adapt(value);
  }
  has(key: CelValue): boolean {
    const property = typeof key === "string" ? this.properties.get(key) : undefined;
    return property !== undefined && memberOf(this.json, property.name) !== undefined;
  }
  keys(): readonly string[] {
    return [...this.properties].filter(([key, { name }]) => key === name && this.has(key)).map(([key]) => key);
  }
}
