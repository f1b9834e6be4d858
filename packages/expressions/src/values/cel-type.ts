// CEL types, their assignability and their textual form.

export type CelType =
  | { readonly kind: PrimitiveKind }
  | { readonly kind: "list"; readonly item: CelType }
  | { readonly kind: "map"; readonly key: CelType; readonly value: CelType }
  | { readonly kind: "type"; readonly of: CelType }
  | { readonly kind: "optional"; readonly of: CelType }
  | { readonly kind: "opaque"; readonly name: string }
  | ObjectTypeOf
  /** A type parameter: of an overload, named by its letter, or of an expression during type checking. */
  | { readonly kind: "parameter"; readonly name: string };

type PrimitiveKind =
  | "dyn"
  | "null"
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "timestamp"
  | "duration";

/** An object whose fields are declared by a schema, by the names used in expressions. */
interface ObjectTypeOf {
  readonly kind: "object";
  readonly name: string;
  readonly fields: ReadonlyMap<string, CelType>;
}

const primitive = (kind: PrimitiveKind): CelType => ({ kind });
export const DYN = primitive("dyn");
export const NULL = primitive("null");
export const BOOL = primitive("bool");
export const INT = primitive("int");
export const UINT = primitive("uint");
export const DOUBLE = primitive("double");
export const STRING = primitive("string");
export const BYTES = primitive("bytes");
export const TIMESTAMP = primitive("timestamp");
export const DURATION = primitive("duration");
export const listOf = (item: CelType): CelType => ({ kind: "list", item });
export const mapOf = (key: CelType, value: CelType): CelType => ({ kind: "map", key, value });
export const opaqueOf = (name: string): CelType => ({ kind: "opaque", name });
export const optionalOf = (of: CelType): CelType => ({ kind: "optional", of });

const SHOWN: Readonly<Record<string, string>> = {
  timestamp: "google.protobuf.Timestamp",
  duration: "google.protobuf.Duration",
};

/** Returns the type as written in messages of cel-go. */
export function typeText(type: CelType): string {
  switch (type.kind) {
    case "list":
      return `list(${typeText(type.item)})`;
    case "map":
      return `map(${typeText(type.key)}, ${typeText(type.value)})`;
    case "type":
      return `type(${typeText(type.of)})`;
    case "optional":
      return `optional_type(${typeText(type.of)})`;
    case "opaque":
    case "object":
      return type.name;
    case "parameter":
      return type.name;
    default:
      return SHOWN[type.kind] ?? type.kind;
  }
}

const NAMED: Readonly<Record<string, CelType>> = {
  dyn: DYN,
  null: NULL,
  bool: BOOL,
  int: INT,
  uint: UINT,
  double: DOUBLE,
  string: STRING,
  bytes: BYTES,
  timestamp: TIMESTAMP,
  duration: DURATION,
};

/**
 * Parses a type in a signature of the function table: `list<A>`, `map<string, int>`, `optional<A>`, `url`. A single
 * capital letter is a type parameter.
 */
export function readType(text: string): CelType {
  let at = 0;
  const read = (): CelType => {
    const name = /^[A-Za-z.]+/.exec(text.slice(at))?.[0] ?? "";
    at += name.length;
    const args: CelType[] = [];
    if (text[at] === "<") {
      do {
        at += 1;
        while (text[at] === " ") at += 1;
        args.push(read());
      } while (text[at] === ",");
      at += 1;
    }
    const [first = DYN, second = DYN] = args;
    if (name === "list") return listOf(first);
    if (name === "map") return mapOf(first, second);
    if (name === "optional") return optionalOf(first);
    if (name === "type") return { kind: "type", of: first };
    if (/^[A-Z]$/.test(name)) return { kind: "parameter", name };
    return NAMED[name] ?? { kind: "opaque", name };
  };
  return read();
}

const NULLABLE = new Set<CelType["kind"]>(["timestamp", "duration", "object", "optional", "opaque"]);

/** Bindings of type parameters during type checking. */
export class Substitution {
  private readonly bound = new Map<string, CelType>();
  private readonly below: Substitution | undefined;

  constructor(below?: Substitution) {
    this.below = below;
  }

  /** Returns a nested substitution whose bindings do not affect this one until it is taken. */
  attempt(): Substitution {
    return new Substitution(this);
  }

  /**
   * Adopts the bindings of an attempt.
   * @param attempt an attempt of this substitution
   */
  take(attempt: Substitution): void {
    for (const [name, type] of attempt.bound) this.bound.set(name, type);
  }

  private of(name: string): CelType | undefined {
    return this.bound.get(name) ?? this.below?.of(name);
  }

  /**
   * Replaces bound parameters.
   * @param open what replaces unbound parameters
   */
  resolve(type: CelType, open: "keep" | "dyn" = "keep"): CelType {
    switch (type.kind) {
      case "parameter": {
        const bound = this.of(type.name);
        if (bound !== undefined) return this.resolve(bound, open);
        return open === "dyn" ? DYN : type;
      }
      case "list":
        return listOf(this.resolve(type.item, open));
      case "map":
        return mapOf(this.resolve(type.key, open), this.resolve(type.value, open));
      case "type":
        return { kind: "type", of: this.resolve(type.of, open) };
      case "optional":
        return optionalOf(this.resolve(type.of, open));
      default:
        return type;
    }
  }

  /**
   * Reports whether a value of type `from` can be used as type `to`, and binds parameters. Bindings made before a
   * failure are kept: use an attempt.
   */
  assign(to: CelType, from: CelType): boolean {
    const target = this.follow(to);
    const source = this.follow(from);
    if (target.kind === "parameter") {
      if (source.kind === "parameter" && source.name === target.name) return true;
      if (this.occurs(target.name, source)) return false;
      this.bound.set(target.name, source);
      return true;
    }
    if (source.kind === "parameter") {
      if (this.occurs(source.name, target)) return false;
      this.bound.set(source.name, target);
      return true;
    }
    if (target.kind === "dyn" || source.kind === "dyn") return true;
    // Null can be assigned to message-like types, as in CEL.
    if (source.kind === "null" && NULLABLE.has(target.kind)) return true;
    if (target.kind === "null" && NULLABLE.has(source.kind)) return true;
    if (target.kind === "list" && source.kind === "list") return this.assign(target.item, source.item);
    if (target.kind === "map" && source.kind === "map") {
      return this.assign(target.key, source.key) && this.assign(target.value, source.value);
    }
    if (target.kind === "optional" && source.kind === "optional") return this.assign(target.of, source.of);
    if (target.kind === "type" && source.kind === "type") return true;
    if (target.kind === "opaque" && source.kind === "opaque") return target.name === source.name;
    if (target.kind === "object" && source.kind === "object") return target === source;
    return target.kind === source.kind && isPrimitive(target);
  }

  private follow(type: CelType): CelType {
    let at = type;
    while (at.kind === "parameter") {
      const bound = this.of(at.name);
      if (bound === undefined) break;
      at = bound;
    }
    return at;
  }

  private occurs(name: string, type: CelType): boolean {
    switch (type.kind) {
      case "parameter": {
        if (type.name === name) return true;
        const bound = this.of(type.name);
        return bound !== undefined && this.occurs(name, bound);
      }
      case "list":
        return this.occurs(name, type.item);
      case "map":
        return this.occurs(name, type.key) || this.occurs(name, type.value);
      case "type":
      case "optional":
        return this.occurs(name, type.of);
      default:
        return false;
    }
  }
}

function isPrimitive(type: CelType): boolean {
  return Object.hasOwn(NAMED, type.kind);
}
