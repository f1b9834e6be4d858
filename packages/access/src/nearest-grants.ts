// Sentences about grants: those that let a user act, and those that nearly do.
import type { AskedAction } from "./asked-action";
import { appliesTo, type Grant, placeText, subjectName } from "./grants";
import { isSubject, type Subject } from "./policy-rule";

/** Maximum number of grants of each sort. */
const MOST = 5;

export interface NearGrant {
  readonly grant: Grant;
  /** Sentence about the grant, without the name of its binding at the beginning. */
  readonly text: string;
}

interface User {
  readonly user: string;
  readonly groups: readonly string[];
}

/** Returns the grants that let the user act. */
export function granted(grants: readonly Grant[], asked: AskedAction, who: User): readonly NearGrant[] {
  return grants.flatMap((grant) => {
    const subject = subjectOf(grant, who);
    const isGranted = grant.role.allows && appliesTo(grant, asked) && subject !== undefined;
    return isGranted ? [{ grant, text: `grants it to ${subjectText(subject, grant)}` }] : [];
  });
}

/** Returns the grants that come near: of the user elsewhere or for other verbs, and of groups that the user is not in. */
export function nearest(grants: readonly Grant[], asked: AskedAction, who: User): readonly NearGrant[] {
  const elsewhere: NearGrant[] = [];
  const otherRights: NearGrant[] = [];
  const ofGroups: NearGrant[] = [];
  const ofSystem: NearGrant[] = [];
  for (const grant of grants) {
    const subject = subjectOf(grant, who);
    if (subject !== undefined && grant.role.allows && !appliesTo(grant, asked)) {
      elsewhere.push({ grant, text: `grants it in the namespace ${grant.namespace}` });
    } else if (subject !== undefined && !grant.role.allows && appliesTo(grant, asked)) {
      otherRights.push({ grant, text: `grants ${subjectText(subject, grant)} other rights` });
    } else if (subject === undefined && grant.role.allows && appliesTo(grant, asked)) {
      for (const group of grant.subjects.filter(({ kind }) => kind === "Group")) {
        const list = group.name?.startsWith("system:") === true ? ofSystem : ofGroups;
        list.push({ grant, text: `grants it to ${subjectText(group, grant)}, which the user is not in` });
      }
    }
  }
  return [elsewhere, otherRights, [...ofGroups, ...ofSystem]].flatMap((list) => list.slice(0, MOST));
}

/** Names a binding, such as `RoleBinding shop/readers`, and says what it grants. */
export const nearText = ({ grant, text }: NearGrant): string => `${placeText(grant)} ${text}`;

const subjectOf = ({ subjects, namespace }: Grant, who: User): Subject | undefined =>
  subjects.find((subject) => isSubject(subject, { ...who, bindingNamespace: namespace }));

function subjectText(subject: Subject, grant: Grant): string {
  const words: Readonly<Record<string, string>> = { User: "user", Group: "group", ServiceAccount: "service account" };
  return `${words[subject.kind ?? ""] ?? subject.kind} ${subjectName(subject, grant)}`;
}
