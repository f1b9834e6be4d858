// Finds kinds by what a user types: kind, plural, singular or short name.
import type { Resource } from "../discovery/resource";

/** Returns the resources that match, the best first. */
export function matchKinds(resources: readonly Resource[], text: string): Resource[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  return resources
    .map((resource) => ({ resource, rank: rankOf(resource, wanted) }))
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank || one.resource.kind.length - other.resource.kind.length)
    .map(({ resource }) => resource);
}

function rankOf({ kind, name, singular, shortNames, group }: Resource, wanted: string): number {
  const names = [kind.toLowerCase(), name, singular];
  if (shortNames.includes(wanted) || names.includes(wanted)) return 3;
  if (names.some((each) => each.startsWith(wanted))) return 2;
  return names.some((each) => each.includes(wanted)) || group.includes(wanted) ? 1 : 0;
}

export interface SearchText {
  /** Kind of the objects; undefined when only a name is typed. */
  readonly kind?: string;
  readonly name: string;
}

/** Reads `name`, `kind name` and `kind/name`. */
export function readSearch(text: string): SearchText {
  const match = /^(\S+?)[\s/]+(\S*)$/.exec(text.trim());
  if (match === null) return { name: text.trim() };
  const [, kind = "", name = ""] = match;
  return { kind, name };
}
