// Random small types and values, reproducible by seed. Their domains are narrow, so that managers conflict.
import {
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  type RuntimeType,
  type StructType,
} from "@orch/schema";
import { list, map, NUMBER, struct, TEXT } from "./sample-types";

export class RandomValues {
  private state: number;

  constructor(seed: number) {
    this.state = seed * 2654435761 + 1;
  }

  /** Returns an integer in 0 … count-1. */
  below(count: number): number {
    this.state = (Math.imul(this.state ^ (this.state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    const mixed = Math.imul(this.state ^ (this.state >>> 13), 0x297a2d39);
    return ((mixed ^ (mixed >>> 16)) >>> 0) % count;
  }

  oneOf<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  /** Returns a struct whose fields cover every merge strategy. */
  structType(depth = 0): StructType {
    const fields = ["a", "b", "c", "d", "e"].slice(0, 2 + this.below(4));
    return struct(Object.fromEntries(fields.map((name) => [name, this.fieldType(depth)])));
  }

  private fieldType(depth: number): RuntimeType | readonly [RuntimeType, { readonly default: JsonValue }] {
    switch (this.below(depth > 2 ? 6 : 10)) {
      case 0:
        return NUMBER;
      case 1:
        return [TEXT, { default: "x" }];
      case 2:
        return list(TEXT);
      case 3:
        return list(TEXT, "set");
      case 4:
        return map(TEXT, "atomic");
      case 5:
        return map(TEXT);
      case 6:
        return map(this.structType(depth + 1));
      case 7:
        return struct({ a: TEXT, b: TEXT }, { relation: "atomic" });
      case 8: {
        const item = this.structType(depth + 1);
        return list(
          struct({ key: TEXT, ...Object.fromEntries(item.fields.map((field) => [field.name, fieldOf(field)])) }),
          "map",
          ["key"],
        );
      }
      default:
        return this.structType(depth + 1);
    }
  }

  value(type: RuntimeType): JsonValue {
    switch (type.kind) {
      case "struct":
        return this.object(type);
      case "map":
        return Object.fromEntries(this.some(["k", "l", "m"]).map((key) => [key, this.value(type.value)]));
      case "list":
        return this.list(type);
      case "number":
        return this.below(3);
      default:
        return this.oneOf(["x", "y", "z"]);
    }
  }

  object(type: StructType): JsonObject {
    const object: JsonObject = {};
    for (const { name, type: fieldType } of this.some(type.fields)) object[name] = this.value(fieldType);
    return object;
  }

  /** Returns the value with parts removed, changed or added, as by an update. */
  changed(type: RuntimeType, value: JsonValue): JsonValue {
    if (type.kind === "struct" && isObject(value)) {
      const object: JsonObject = {};
      for (const { name, type: fieldType } of type.fields) {
        const old = value[name];
        const dice = this.below(8);
        if (old !== undefined && dice < 5) object[name] = old;
        else if (old !== undefined && dice < 7) object[name] = this.changed(fieldType, old);
        else if (old === undefined && dice < 2) object[name] = this.value(fieldType);
      }
      return object;
    }
    return this.value(type);
  }

  private list({ element, relation }: Extract<RuntimeType, { readonly kind: "list" }>): JsonArray {
    if (relation !== "map" || element.kind !== "struct") return this.some(["r", "s", "t"]);
    return this.some(["i", "j", "k"]).map((key) => ({ ...this.object(element), key }));
  }

  private some<Item>(items: readonly Item[]): Item[] {
    return items.filter(() => this.below(2) === 0);
  }
}

function fieldOf({ type, default: value }: StructType["fields"][number]) {
  return value === undefined ? type : ([type, { default: value }] as const);
}
