// Builds the steps that apply a table of defaults to one struct type.

import { copyOfValue, type FrozenValue, objectAt } from "@orch/apis-model";
import { type Field, isEmpty, isObject, type JsonObject, type JsonValue, type StructType } from "@orch/schema";

export type Fill = (object: JsonObject) => void;

/**
 * Builds the function.
 * @param values keyed by path from the struct; see DefaultRules
 * @throws Error for a path that the type does not have
 */
export function fillOf(type: StructType, values: Readonly<Record<string, FrozenValue>>): Fill {
  const steps: Fill[] = [];
  const nested = new Map<string, Record<string, FrozenValue>>();
  for (const [path, value] of Object.entries(values)) {
    const dot = path.indexOf(".");
    if (dot < 0) {
      steps.push(valueStep(fieldOf(type, path), value));
      continue;
    }
    const name = path.slice(0, dot);
    const inner = nested.get(name) ?? {};
    inner[path.slice(dot + 1)] = value;
    nested.set(name, inner);
  }
  for (const [name, inner] of nested) steps.push(structStep(fieldOf(type, name), inner));
  return (object) => {
    for (const step of steps) step(object);
  };
}

function fieldOf(type: StructType, name: string): Field {
  const field = type.fieldByName.get(name);
  if (field === undefined) throw new Error(`${type.name} has no field ${name} to give a default`);
  return field;
}

function valueStep({ name, isPointer }: Field, value: FrozenValue): Fill {
  const copied = typeof value === "object" && value !== null;
  return (object) => {
    if (isUnset(object[name], isPointer)) object[name] = copied ? copyOfValue(value) : (value as JsonValue);
  };
}

function structStep({ name, isPointer, type }: Field, values: Readonly<Record<string, FrozenValue>>): Fill {
  if (type.kind !== "struct") throw new Error(`${name} holds no fields to give defaults`);
  const fill = fillOf(type, values);
  return (object) => {
    if (isPointer && !isObject(object[name])) return;
    fill(objectAt(object, name));
  };
}

function isUnset(value: JsonValue | undefined, isPointer: boolean): boolean {
  return value === undefined || value === null || (!isPointer && isEmpty(value));
}
