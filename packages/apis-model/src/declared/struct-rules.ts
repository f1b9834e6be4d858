// Declared rules that concern several fields of one object: unions, discriminators and dependent fields. Source:
// staging/src/k8s.io/apimachinery/pkg/api/validate/union.go, discriminator.go.
import type { DeclaredField, DeclaredRule, JsonObject } from "@orch/schema";
import type { Place } from "../model/rules/place";
import type { Report } from "../model/rules/report";
import { isUnchanged, isZero, NO_OLD, type Old } from "./old-value";

/** Rule of an object. The stored one is absent on create, and when it has no counterpart. */
export type StructRule = (object: JsonObject, old: JsonObject | undefined, at: Place, report: Report) => void;

/** Field with the rules that are in force. */
export interface RuledField extends DeclaredField {
  readonly rules: readonly DeclaredRule[];
}

export function structRules(fields: readonly RuledField[]): readonly StructRule[] {
  const members = fields.filter(({ rules }) => rules.some(({ is }) => is === "unionMember"));
  return [
    ...(members.length === 0 ? [] : [union(members)]),
    ...fields.flatMap((field) => discriminated(field, fields)),
    ...fields.flatMap((field) => field.rules.flatMap((rule) => dependent(field, rule))),
  ];
}

export const isSet = (object: JsonObject, { name, pointer, shape }: DeclaredField): boolean =>
  !isZero(object[name], pointer === true && shape === undefined);

/** Requires exactly one member. An update that sets the same members is accepted. */
function union(members: readonly RuledField[]): StructRule {
  const wanted = members.map(({ name }) => `\`${name}\``).join(", ");
  return (object, old, at, report) => {
    const set = members.filter((member) => isSet(object, member));
    if (set.length === 1) return;
    if (old !== undefined && members.every((member) => isSet(object, member) === isSet(old, member))) return;
    if (reportsByText(set.length === 0 ? members : set, set.length === 0 ? "none" : "also", object, at, report)) return;
    const found = set.length === 0 ? "" : `{${set.map(({ name }) => name).join(", ")}}`;
    report.invalid(at, found, `must specify exactly one of: ${wanted}`);
  };
}

/** Reports an error at each member that has a text of its own. Returns whether there is one. */
function reportsByText(
  members: readonly RuledField[],
  of: "none" | "also",
  object: JsonObject,
  at: Place,
  report: Report,
): boolean {
  let found = false;
  for (const { name, rules } of members) {
    const detail = rules.flatMap((rule) => (rule.is === "unionMember" ? (rule[of] ?? []) : []))[0];
    if (detail === undefined) continue;
    report.invalid(at.field(name), object[name] ?? null, detail);
    found = true;
  }
  return found;
}

/** Checks a member of a union by the value of its discriminator. Rules of the discriminator reject unknown values. */
function discriminated(field: RuledField, fields: readonly RuledField[]): readonly StructRule[] {
  const modes = field.rules.flatMap((rule) => (rule.is === "mode" ? [rule] : []));
  if (modes.length === 0) return [];
  for (const { name, rules } of fields) {
    const found = rules.find((rule) => rule.is === "discriminator");
    if (found?.is !== "discriminator") continue;
    const { values } = found;
    return [
      (object, old, at, report) => {
        const mode = object[name];
        if (old !== undefined && mode === old[name] && isUnchanged(object[field.name], old[field.name], true)) return;
        if (typeof mode !== "string" || !values.includes(mode)) return;
        const rule = modes.find((each) => each.mode === mode);
        const isThere = isSet(object, field);
        const place = at.field(field.name);
        if (rule === undefined && isThere) report.forbidden(place, `must be absent where \`${name}\` is ${mode}`);
        if (rule?.of?.is === "required" && !isThere)
          report.required(place, `must be there where \`${name}\` is ${mode}`);
      },
    ];
  }
  return [];
}

function dependent(field: RuledField, rule: DeclaredRule): readonly StructRule[] {
  if (rule.is !== "dependentRequired" && rule.is !== "dependentForbidden") return [];
  const isRequired = rule.is === "dependentRequired";
  return [
    (object, old, at, report) => {
      if (!isSet(object, field)) return;
      const other = object[rule.field];
      if (isZero(other, true) !== isRequired) return;
      const before = (name: string): Old => (old === undefined ? NO_OLD : old[name]);
      const stays = (name: string) => isUnchanged(object[name], before(name), true);
      if (stays(field.name) && stays(rule.field)) return;
      const place = at.field(rule.field);
      if (isRequired) report.required(place, rule.detail ?? `must be set when \`${field.name}\` is set`);
      else report.forbidden(place, rule.detail ?? `may not be set when \`${field.name}\` is set`);
    },
  ];
}
