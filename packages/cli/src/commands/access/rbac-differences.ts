// Rules and subjects that one list has and another does not cover. Source: component-helpers/auth/rbac/validation/
// rule.go, "Covers".
import type { PolicyRule, Subject } from "@orch/access";

/** Returns the single rights of `wanted` that `having` does not cover, joined by resource. */
export function missingRules(having: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  return wanted.flatMap((rule) => {
    const verbs = (rule.verbs ?? []).filter(
      (verb) => !partsOf(rule).every((part) => having.some((each) => covers(each, { ...part, verbs: [verb] }))),
    );
    return verbs.length === 0 ? [] : [{ ...rule, verbs }];
  });
}

/** Splits a rule by group, resource, name and URL. */
function partsOf({ apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): readonly PolicyRule[] {
  const names = resourceNames?.length ? resourceNames.map((name) => ({ resourceNames: [name] })) : [{}];
  return [
    ...(apiGroups ?? []).flatMap((group) =>
      (resources ?? []).flatMap((resource) =>
        names.map((name) => ({ apiGroups: [group], resources: [resource], ...name })),
      ),
    ),
    ...(nonResourceURLs ?? []).map((url) => ({ nonResourceURLs: [url] })),
  ];
}

function covers(rule: PolicyRule, part: PolicyRule): boolean {
  const all = (list: readonly string[] | null | undefined, wanted: readonly string[] | null | undefined) =>
    list?.includes("*") === true || (wanted ?? []).every((each) => list?.includes(each) === true);
  if (!all(rule.verbs, part.verbs)) return false;
  if (part.nonResourceURLs?.length) {
    return part.nonResourceURLs.every((url) =>
      (rule.nonResourceURLs ?? []).some(
        (each) => each === url || each === "*" || (each.endsWith("*") && url.startsWith(each.slice(0, -1))),
      ),
    );
  }
  if (!all(rule.apiGroups, part.apiGroups)) return false;
  const [resource = ""] = part.resources ?? [];
  const subresource = resource.split("/")[1];
  const coversResource =
    all(rule.resources, part.resources) ||
    (subresource !== undefined && rule.resources?.includes(`*/${subresource}`) === true);
  if (!coversResource) return false;
  if (!rule.resourceNames?.length) return true;
  return Boolean(part.resourceNames?.length) && all(rule.resourceNames, part.resourceNames);
}

export function missingSubjects(having: readonly Subject[], wanted: readonly Subject[]): readonly Subject[] {
  const keyOf = ({ kind, name, namespace }: Subject) => JSON.stringify([kind, name, namespace ?? ""]);
  const known = new Set(having.map(keyOf));
  return wanted.filter((subject) => !known.has(keyOf(subject)));
}
