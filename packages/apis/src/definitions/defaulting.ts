// Combines the defaults of a kind and of the types inside it into one walk that visits only what has defaults.

import type { DefaultRule, DefaultRules, Features } from "@orch/apis-model";
import {
  isObject,
  type JsonObject,
  type JsonValue,
  type RuntimeType,
  type StructType,
  type Vocabulary,
} from "@orch/schema";
import { fillOf } from "./fill";
import { STRUCT_DEFAULTS } from "./struct-defaults";

/** Builds the walk. @param ofKind defaults of the kind as a whole, applied before those of its types */
export function defaultingOf(type: StructType, ofKind: DefaultRules | undefined, features: Features): DefaultRule {
  const { gated = [], ...always } = ofKind ?? {};
  const on = gated.filter(({ gate }) => features.isOn(gate));
  const whole = [always, ...on].flatMap((rules) => stepsOf(type, rules));
  return (object, vocabulary) => {
    for (const step of whole) step(object, vocabulary);
    visitOf(type).run(object, vocabulary);
  };
}

function stepsOf(type: StructType, { first, fields, then }: DefaultRules): readonly DefaultRule[] {
  return [
    ...(first === undefined ? [] : [first]),
    ...(fields === undefined ? [] : [fillOf(type, fields)]),
    ...(then === undefined ? [] : [then]),
  ];
}

/** Applies the defaults of one struct type wherever it occurs: its own, then those of the structs that it contains. */
class StructVisit {
  private readonly steps: readonly DefaultRule[];
  private readonly parts: readonly Part[];

  constructor(type: StructType) {
    const rules = STRUCT_DEFAULTS[type.name];
    this.steps = rules === undefined ? [] : stepsOf(type, rules);
    this.parts = type.fields.flatMap((field) => {
      const struct = structIn(field.type);
      return struct !== undefined && leadsToRules(struct, new Set()) ? [new Part(field.name, struct)] : [];
    });
  }

  run(object: JsonObject, vocabulary: Vocabulary): void {
    for (const step of this.steps) step(object, vocabulary);
    for (const part of this.parts) part.run(object[part.name], vocabulary);
  }
}

class Part {
  private readonly type: StructType;
  private visit: StructVisit | undefined;

  constructor(
    readonly name: string,
    type: StructType,
  ) {
    this.type = type;
  }

  run(value: JsonValue | undefined, vocabulary: Vocabulary): void {
    if (typeof value !== "object" || value === null) return;
    this.visit ??= visitOf(this.type);
    if (Array.isArray(value)) {
      for (const item of value) if (isObject(item)) this.visit.run(item, vocabulary);
    } else this.visit.run(value, vocabulary);
  }
}

const visits = new WeakMap<StructType, StructVisit>();

function visitOf(type: StructType): StructVisit {
  let visit = visits.get(type);
  if (visit === undefined) {
    visit = new StructVisit(type);
    visits.set(type, visit);
  }
  return visit;
}

/** Returns the struct type of a field or of its list items. No map of structs has defaults. */
function structIn(type: RuntimeType): StructType | undefined {
  if (type.kind === "struct") return type;
  return type.kind === "list" && type.element.kind === "struct" ? type.element : undefined;
}

function leadsToRules(type: StructType, seen: Set<StructType>): boolean {
  if (Object.hasOwn(STRUCT_DEFAULTS, type.name)) return true;
  if (seen.has(type)) return false;
  seen.add(type);
  return type.fields.some((field) => {
    const struct = structIn(field.type);
    return struct !== undefined && leadsToRules(struct, seen);
  });
}
