// Measures all processing of worst-case objects: decoding, validation, update and table rows.
import { type FieldError, invalid, metadataErrors, metadataUpdateErrors, toStatus } from "@orch/machinery";
import type { JsonObject, JsonValue } from "@orch/schema";
import type { Growing } from "@orch/testing";
import { definitionsAt } from "./row";
import { changed, ruleCases } from "./rule-cases";

type Changes = Readonly<Record<string, JsonValue>>;

const definitions = [...definitionsAt("1.23"), ...definitionsAt("1.36")];
const bases = new Map(ruleCases().map(({ object, base }) => [object, base]));
const request = { user: { name: "ann", groups: [] }, now: "2024-05-01T12:00:00Z" };
const at = { nowMs: Date.parse(request.now) };

export const times = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));
export const keyed = (count: number, value: (index: number) => JsonValue): JsonObject =>
  Object.fromEntries(times(count, (index) => [`k${index}`, value(index)]));
export const names = (count: number): string[] => times(count, (index) => `n${index}`);

function definitionOf({ apiVersion, kind }: JsonObject) {
  for (const definition of definitions) {
    const through = definition.versions.find((each) => each.apiVersion === apiVersion && each.kind === kind);
    if (through !== undefined) return { definition, through };
  }
  throw new Error(`no ${apiVersion} ${kind}`);
}

/**
 * Creates, updates and prints the object.
 * @param base name of an object in the tables of rules
 * @param made changes of the base at a size, keyed by JSON pointer
 */
export const written = (
  base: string,
  made: (size: number) => Changes,
  updated = made,
  operation = "update",
): Growing => {
  const object = bases.get(base) ?? {};
  const { definition, through } = definitionOf(object);
  const { strategy, subresources, scope, columns = [] } = definition;
  const rules = operation === "update" ? strategy : subresources[operation];
  if (rules === undefined) throw new Error(`no sub-resource ${operation}`);
  const read = (text: string): JsonObject => {
    const { value } = through.type.decode(JSON.parse(text) as JsonObject);
    through.type.applyDefaults(value);
    return through.toHub?.(value) ?? value;
  };
  const told = (errors: readonly FieldError[]) => toStatus(invalid({ group: "", kind: "X" }, "n", errors));
  const change = { ...request, version: through };
  return (size) => {
    const first = JSON.stringify(changed(object, made(size) as JsonObject));
    const second = JSON.stringify(changed(object, updated(size) as JsonObject));
    return () => {
      const old = read(first);
      strategy.prepareForCreate?.(old, change);
      const errors = [...metadataErrors(old, { scope, ...strategy })];
      errors.push(...(strategy.validate?.(old, through) ?? []), ...(strategy.validateCreate?.(old, through) ?? []));
      const next = read(second);
      rules.prepareForUpdate?.(next, old, change);
      errors.push(...metadataUpdateErrors(next, old, { scope, ...strategy }));
      if (rules === strategy) errors.push(...(strategy.validate?.(next, through, old) ?? []));
      errors.push(...(rules.validateUpdate?.(next, old, through) ?? []));
      return [told(errors), columns.map(({ cell }) => cell(next, at))];
    };
  };
};
