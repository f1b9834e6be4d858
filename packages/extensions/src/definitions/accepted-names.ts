// Name conflicts between the custom resource definitions of a group. Accepted names stay with a definition until it
// requests other names that are free.
// Source: staging/src/k8s.io/apiextensions-apiserver/pkg/controller/status/naming_controller.go.
import type { DefinitionCondition } from "@orch/apis";
import type { Names } from "./definition";

export interface AcceptedNames {
  readonly accepted: Names;
  readonly condition: DefinitionCondition & { readonly type: "NamesAccepted" };
}

/**
 * Determines the accepted names.
 * @param asked names requested by the definition
 * @param before names accepted so far; empty fields were not accepted
 * @param others accepted names of all other definitions of the group
 */
export function resolveNames(asked: Names, before: Names | undefined, others: Iterable<Names>): AcceptedNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { plural, singular, shortNames, kind, listKind } of others) {
    for (const name of [plural, singular, ...(shortNames ?? [])]) if (name) resources.add(name);
    for (const name of [kind, listKind]) if (name) kinds.add(name);
  }
  const conflicts: { readonly reason: string; readonly message: string }[] = [];
  const free = (reason: string, taken: ReadonlySet<string>, names: readonly (string | undefined)[]): boolean => {
    const inUse = names.filter((name) => name !== undefined && taken.has(name));
    if (inUse.length === 0) return true;
    conflicts.push({ reason, message: inUse.map((name) => `${JSON.stringify(name)} is already in use`).join(", ") });
    return false;
  };
  const accepted: Names = { ...before, plural: before?.plural ?? "", kind: before?.kind ?? "" };
  if (free("PluralConflict", resources, [asked.plural])) accepted.plural = asked.plural;
  if (free("SingularConflict", resources, [asked.singular])) take(accepted, "singular", asked);
  if (free("ShortNamesConflict", resources, asked.shortNames ?? [])) take(accepted, "shortNames", asked);
  if (free("KindConflict", kinds, [asked.kind])) accepted.kind = asked.kind;
  if (free("ListKindConflict", kinds, [asked.listKind])) take(accepted, "listKind", asked);
  take(accepted, "categories", asked);
  const last = conflicts.at(-1);
  return {
    accepted,
    condition:
      last === undefined
        ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
        : { type: "NamesAccepted", status: "False", ...last },
  };
}

function take<Name extends "singular" | "shortNames" | "listKind" | "categories">(
  into: Names,
  name: Name,
  from: Names,
): void {
  const value = from[name];
  if (value === undefined) delete into[name];
  else into[name] = value;
}
