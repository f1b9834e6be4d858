// CEL values. An int is a bigint and a double a number, as the language distinguishes them. Lists and maps are views;
// those over JSON adapt an element when it is read, without copying.

export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | TypeValue
  | OptionalValue
  | OpaqueValue
  | CelList
  | CelMap;

export class Uint {
  constructor(readonly value: bigint) {}
}

export class Timestamp {
  /** @param nanos nanoseconds since the Unix epoch */
  constructor(readonly nanos: bigint) {}
}

export class Duration {
  constructor(readonly nanos: bigint) {}
}

export class TypeValue {
  constructor(readonly name: string) {}
}

export class OptionalValue {
  static readonly NONE = new OptionalValue(undefined);
  private constructor(readonly value: CelValue | undefined) {}
  static of(value: CelValue): OptionalValue {
    return new OptionalValue(value);
  }
}

/** A value of a type defined by a library, such as an IP address or a quantity. */
export abstract class OpaqueValue {
  abstract readonly typeName: string;
  abstract equals(other: OpaqueValue): boolean;
}

export abstract class CelList {
  abstract readonly size: number;
  /**
   * Returns an element.
   * @param index from 0 to size-1
   */
  abstract at(index: number): CelValue;
  /** Compares two lists; undefined when elements are compared by index. */
  equals(_other: CelList, _steps: { step(steps: number): void }): boolean | undefined {
    return undefined;
  }
  /** Concatenates two lists; undefined when the other's elements are appended. */
  concat(_other: CelList, _steps: { step(steps: number): void }): CelList | undefined {
    return undefined;
  }
}

export class ArrayList extends CelList {
  constructor(readonly items: readonly CelValue[]) {
    super();
  }
  get size(): number {
    return this.items.length;
  }
  at(index: number): CelValue {
    return this.items[index] as CelValue;
  }
}

export abstract class CelMap {
  abstract readonly size: number;
  abstract get(key: CelValue): CelValue | undefined;
  /** Returns the keys in insertion order. */
  abstract keys(): readonly CelValue[];
  abstract has(key: CelValue): boolean;
  /** Type name, for maps with a type of their own. */
  readonly typeName: string = "map";
}

export class DictionaryMap extends CelMap {
  private constructor(private readonly entries: ReadonlyMap<string | boolean | bigint, readonly [CelValue, CelValue]>) {
    super();
  }
  /** Creates a map; undefined when two keys are equal or a key has an invalid type. */
  static of(entries: Iterable<readonly [CelValue, CelValue]>): DictionaryMap | undefined {
    const byKey = new Map<string | boolean | bigint, readonly [CelValue, CelValue]>();
    for (const entry of entries) {
      const key = mapKey(entry[0]);
      if (key === undefined || byKey.has(key)) return undefined;
      byKey.set(key, entry);
    }
    return new DictionaryMap(byKey);
  }
  get size(): number {
    return this.entries.size;
  }
  get(key: CelValue): CelValue | undefined {
    const known = mapKey(key);
    return known === undefined ? undefined : this.entries.get(known)?.[1];
  }
  has(key: CelValue): boolean {
    const known = mapKey(key);
    return known !== undefined && this.entries.has(known);
  }
  keys(): readonly CelValue[] {
    return Array.from(this.entries.values(), ([key]) => key);
  }
}

/** Returns the normalized key: equal numbers are one key, whatever their types. Undefined for an invalid key. */
export function mapKey(value: CelValue): string | boolean | bigint | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "bigint":
      return value;
    case "number":
      return Number.isInteger(value) ? BigInt(value) : undefined;
    default:
      return value instanceof Uint ? value.value : undefined;
  }
}

/** Returns the name of a value's type, as for `type()`. */
export function typeNameOf(value: CelValue): string {
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "double";
    case "string":
      return "string";
    default:
      if (value === null) return "null_type";
      if (value instanceof Uint8Array) return "bytes";
      if (value instanceof Uint) return "uint";
      if (value instanceof Timestamp) return "google.protobuf.Timestamp";
      if (value instanceof Duration) return "google.protobuf.Duration";
      if (value instanceof TypeValue) return "type";
      if (value instanceof OptionalValue) return "optional_type";
      if (value instanceof CelList) return "list";
      return value.typeName;
  }
}
