// CEL views over the JSON of an object, typed by its schema. Nothing is copied: a part is adapted when it is read.
import { bigIntOf, isInt64, isObject, type JsonArray, type JsonObject, type JsonValue, memberOf } from "@orch/schema";
import { CelList, CelMap, type CelValue } from "../values/cel-value";
import { equal, type Steps } from "../values/equality";

export type Adapt = (json: JsonValue) => CelValue;

/**
 * Semantics of equality and concatenation of lists: by index, as a set, or as a map by the keys of its items. Source:
 * "Validation rules" in the Kubernetes documentation of CustomResourceDefinitions.
 */
export type ListKind =
  | { readonly kind: "atomic" }
  | { readonly kind: "set" }
  | { readonly kind: "map"; readonly keys: readonly string[] };

abstract class KindList extends CelList {
  constructor(private readonly kind: ListKind) {
    super();
  }

  /** Compares sets and maps regardless of the order of their elements. */
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

  /**
   * Concatenates sets and maps: an element of the other map replaces the one with the same key; new elements are
   * appended.
   */
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

/** Maximum number of cached views per list or map. */
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

/** Result of concatenating sets or maps. */
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

/** Returns a text that identifies a scalar; objects in a set are compared by value. */
function shown(value: CelValue): string {
  return typeof value === "string"
    ? JSON.stringify(value)
    : typeof value === "object"
      ? typeof value
      : `${typeof value} ${value}`;
}

/** An object with arbitrary names and values of one type. */
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
  /** Name in the JSON object. */
  readonly name: string;
  readonly adapt: Adapt;
}

/** An object whose properties are declared by the schema. */
export class SchemaObject extends CelMap {
  override readonly typeName = "object";
  constructor(
    private readonly json: JsonObject,
    /** Properties by the names used in expressions; both forms of a name that has two. */
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

const ATOMIC = { kind: "atomic" } as const;

/** Returns a view of JSON without a schema: numbers without a fraction are integers, as in Kubernetes. */
export function dynamicValue(json: JsonValue): CelValue {
  switch (typeof json) {
    case "string":
    case "boolean":
      return json;
    case "number":
      return Number.isSafeInteger(json) ? BigInt(json) : json;
    case "bigint":
      return json;
  }
  if (json === null) return null;
  if (Array.isArray(json)) return new SchemaList(json, dynamicValue, ATOMIC);
  if (isObject(json)) return new SchemaMap(json, dynamicValue);
  return isInt64(json) ? bigIntOf(json) : Number(json);
}
