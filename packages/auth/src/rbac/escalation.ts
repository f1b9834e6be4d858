// Privilege escalation prevention: whether a user holds all rights that some rules give, and which are missing, in the
// wording of Kubernetes.
// Source: Kubernetes documentation, "Using RBAC Authorization", "Privilege escalation prevention and bootstrapping".
import { setImmediate as nextTurn } from "node:timers/promises";
import type { UserInfo } from "@orch/machinery";
import { missingRights, type SingleRight, stepsFor } from "./covers";
import type { PolicyRule } from "./policy";
import type { HeldRules } from "./rbac-grants";

/** Maximum number of steps. Rules that combine to more are rejected without a check. */
const STEPS_MAX = 1_000_000;
/** Number of steps before the event loop gets a turn. */
const STEPS_PER_TURN = 5_000;
/** Maximum number of places that a message lists. */
const PLACES_SHOWN = 1000;

/**
 * Checks the rules.
 * @returns why these rules may not be granted; undefined when the user holds all of them
 */
export async function escalationProblem(
  user: UserInfo,
  wanted: readonly PolicyRule[],
  { rules, problems }: HeldRules,
): Promise<string | undefined> {
  const steps = stepsFor(wanted, rules);
  if (steps > STEPS_MAX) return `the rules combine to ${steps} permissions; at most ${STEPS_MAX} can be checked`;
  const missing = new MissingRights();
  let sinceTurn = 0;
  for (const right of missingRights(wanted, rules)) {
    if (right !== undefined) missing.add(right);
    sinceTurn += 1;
    if (sinceTurn < STEPS_PER_TURN) continue;
    sinceTurn = 0;
    await nextTurn();
  }
  if (missing.isEmpty) return undefined;
  const who = `user ${JSON.stringify(user.name)} (groups=${listText(user.groups)})`;
  const unread = problems.length === 0 ? "" : `; resolution errors: [${asOne(problems)}]`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${missing.text()}${unread}`;
}

/** Joins several failures of one lookup as a list. */
const asOne = (problems: readonly string[]): string =>
  problems.length === 1 ? (problems[0] as string) : `[${problems.join(", ")}]`;

/** Missing rights, with the verbs of one place together. */
class MissingRights {
  private readonly places = new Map<string, { readonly right: SingleRight; readonly verbs: string[] }>();
  private notShown = 0;

  get isEmpty(): boolean {
    return this.places.size === 0;
  }

  add(right: SingleRight): void {
    // Lists each verb of a path separately.
    const place = "url" in right ? [right.url, right.verb] : [right.group, right.resource, right.name ?? null, 0];
    const key = JSON.stringify(place);
    const known = this.places.get(key);
    if (known !== undefined) known.verbs.push(right.verb);
    else if (this.places.size < PLACES_SHOWN) this.places.set(key, { right, verbs: [right.verb] });
    else this.notShown += 1;
  }

  text(): string {
    const lines = [...this.places.values()].map(({ right, verbs }) => ruleText(right, verbs)).sort();
    return [...lines, ...(this.notShown === 0 ? [] : [`and ${this.notShown} more permissions`])].join("\n");
  }
}

function ruleText(right: SingleRight, verbs: readonly string[]): string {
  const place =
    "url" in right
      ? `NonResourceURLs:${listText([right.url])}`
      : `APIGroups:${listText([right.group])}, Resources:${listText([right.resource])}${
          right.name === undefined ? "" : `, ResourceNames:${listText([right.name])}`
        }`;
  return `{${place}, Verbs:${listText(verbs)}}`;
}

const listText = (values: readonly string[]): string => `[${values.map((value) => JSON.stringify(value)).join(" ")}]`;
