// Sentences about grants: those that let a user act, and those that nearly do.
import type { AskedAction } from "./asked-action";
import { appliesTo, type Grant, placeText } from "./rbac-grants";
import { isSubject, ruleText, type Subject } from "./rbac-rules";

/** Maximum number of grants of each sort. */
const MOST = 5;

export interface NearGrant {
  readonly binding: string;
  /** Sentence about the binding. */
  readonly text: string;
  /** The role with the rule that matters. */
  readonly role: string;
}

interface Who {
  readonly user: string;
  readonly groups: readonly string[];
}

/** Returns the grants that let the user act. */
export function granted(grants: readonly Grant[], asked: AskedAction, who: Who): readonly NearGrant[] {
  return grants.flatMap((grant) => {
    const subject = subjectOf(grant, who);
    const isGranted = grant.role.allows && appliesTo(grant, asked) && subject !== undefined;
    return isGranted ? [near(grant, `${placeText(grant)} grants it to ${subjectText(subject, grant)}`)] : [];
  });
}

/** Returns the grants that come near: of the user elsewhere or for other verbs, and of groups that the user is not in. */
export function nearest(grants: readonly Grant[], asked: AskedAction, who: Who): readonly NearGrant[] {
  const elsewhere: NearGrant[] = [];
  const otherRights: NearGrant[] = [];
  const ofGroups: NearGrant[] = [];
  const ofSystem: NearGrant[] = [];
  for (const grant of grants) {
    const subject = subjectOf(grant, who);
    const place = placeText(grant);
    if (subject !== undefined && grant.role.allows && !appliesTo(grant, asked)) {
      elsewhere.push(near(grant, `${place} grants it in the namespace ${grant.namespace}`));
    } else if (subject !== undefined && !grant.role.allows && appliesTo(grant, asked)) {
      otherRights.push(near(grant, `${place} grants ${subjectText(subject, grant)} other rights`));
    } else if (subject === undefined && grant.role.allows && appliesTo(grant, asked)) {
      for (const group of grant.subjects.filter(({ kind }) => kind === "Group")) {
        const list = group.name?.startsWith("system:") === true ? ofSystem : ofGroups;
        list.push(near(grant, `${place} grants it to ${subjectText(group, grant)}, which the user is not in`));
      }
    }
  }
  return [elsewhere, otherRights, [...ofGroups, ...ofSystem]].flatMap((list) => list.slice(0, MOST));
}

const subjectOf = ({ subjects, namespace }: Grant, who: Who): Subject | undefined =>
  subjects.find((subject) => isSubject(subject, { ...who, bindingNamespace: namespace }));

function near(grant: Grant, text: string): NearGrant {
  return { binding: placeText(grant), text, role: `${placeText(grant.role)}: ${ruleText(grant.role.rule)}` };
}

function subjectText({ kind = "", name = "", namespace = "" }: Subject, grant: Grant): string {
  const words: Readonly<Record<string, string>> = { User: "user", Group: "group", ServiceAccount: "service account" };
  const full = kind === "ServiceAccount" ? `${namespace || grant.namespace}/${name}` : name;
  return `${words[kind] ?? kind} ${full}`;
}
