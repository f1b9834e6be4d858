// Kinds that a user may list in a namespace.
import { resourceAction, ruleAllows } from "@orch/access";
import { can, qualifiedName, type Resource } from "../discovery/resource";
import type { RulesAnswer } from "./reviews";

const NAMES_SHOWN = 3;

/** Describes the kinds of a namespace that rules let a user list: some by name, and the number of the others. */
export function listableText({ resourceRules }: RulesAnswer, resources: readonly Resource[]): string {
  const all = resources.filter((each) => each.isNamespaced && can(each, "list"));
  const found = all.filter(({ group, name: resource }) => {
    const asked = resourceAction("list", { group, resource });
    return resourceRules?.some((rule) => ruleAllows(rule, asked)) === true;
  });
  if (found.length === 0) return "nothing";
  if (found.length === all.length) return "all kinds";
  const shown = found.slice(0, NAMES_SHOWN).map(qualifiedName).join(", ");
  return found.length > NAMES_SHOWN ? `${shown} and ${found.length - NAMES_SHOWN} more` : shown;
}
