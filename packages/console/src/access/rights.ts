// The rights of a user in a namespace, as rows of a table.
import { compactRules, type ListedRule, typeText } from "@orch/access";
import type { RulesAnswer } from "./reviews";

export interface Right {
  /** Resource with its group and subresource, or path. */
  readonly target: string;
  /** Name of the object to which the right is limited; "" for all. */
  readonly name: string;
  readonly verbs: readonly string[];
}

/** Returns one row for each resource or path, with all verbs. Sorted by resource, then paths. */
export function rightsOf({ resourceRules, nonResourceRules }: RulesAnswer): readonly Right[] {
  const rules = compactRules([...(resourceRules ?? []), ...(nonResourceRules ?? [])]);
  const paths = new Map<string, string[]>();
  const rights: Right[] = [];
  for (const rule of rules) {
    const [path] = rule.nonResourceURLs ?? [];
    const verbs = rule.verbs ?? [];
    if (path === undefined) rights.push({ target: resourceText(rule), name: rule.resourceNames?.[0] ?? "", verbs });
    else paths.set(path, [...new Set([...(paths.get(path) ?? []), ...verbs])]);
  }
  return [
    ...rights.sort(byTarget),
    ...[...paths].map(([path, verbs]): Right => ({ target: pathText(path), name: "", verbs })).sort(byTarget),
  ];
}

function resourceText(rule: ListedRule): string {
  const text = typeText(rule);
  return text === "*.*" ? "all resources" : text;
}

const pathText = (path: string): string => (path === "*" ? "all paths" : path);

const byTarget = (one: Right, other: Right): number =>
  one.target === other.target ? compare(one.name, other.name) : compare(one.target, other.target);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Returns the rights that have a text in one of their columns. */
export function rightsWith(rights: readonly Right[], text: string): readonly Right[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return rights;
  return rights.filter(({ target, name, verbs }) =>
    [target, name, ...verbs].some((each) => each.toLowerCase().includes(wanted)),
  );
}
