// Parses `--history`: the resources whose objects keep their earlier states, and how many. The forms of a name are those
// of encryption at rest: `resource`, `resource.group`, `*.group`, `*.` for the core group, `*.*` for all.
import { type GroupResource, HISTORY_STATES_MAX } from "@orch/machinery";
import type { HistoryRules } from "@orch/registry";
import type { ServerConfig } from "../flags/server-flags";

/** Names of resources without a history, because they change all the time and document themselves. */
const WITHOUT = /^(events(\..*)?|leases\.coordination\..*)$/;
const PART = /^(\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)(\.(\*|[a-z0-9]([-a-z0-9.]*[a-z0-9])?)?)?$/;

/** @returns the rules; undefined and one message per invalid value */
export function historyRules(config: ServerConfig): {
  readonly rules: HistoryRules;
  readonly errors: readonly string[];
} {
  const states = new Map<string, number>();
  const errors = config.history.flatMap((text) => readValue(text, states));
  const rules: HistoryRules = {
    statesOf: ({ group, resource }: GroupResource) => {
      if (states.size === 0) return 0;
      const own = group === "" ? resource : `${resource}.${group}`;
      return states.get(own) ?? states.get(`*.${group}`) ?? states.get("*.*") ?? 0;
    },
    maxAgeMs: config["history-max-age"],
    maxBytes: config["history-max-bytes"],
  };
  return { rules, errors };
}

/** @returns one message per invalid part */
function readValue(text: string, states: Map<string, number>): string[] {
  const errors: string[] = [];
  let waiting: string[] = [];
  for (const part of text.split(",").map((each) => each.trim())) {
    const at = `--history: ${JSON.stringify(part.slice(0, SHOWN))}`;
    const equals = part.indexOf("=");
    const name = equals < 0 ? part : part.slice(0, equals);
    const number = equals < 0 ? undefined : part.slice(equals + 1);
    const problem = problemOf(name, number, states) ?? (waiting.includes(name) ? "is named twice" : undefined);
    if (problem !== undefined) errors.push(`${at} ${problem}`);
    waiting.push(name);
    if (number === undefined) continue;
    for (const each of waiting) states.set(each, Number(number));
    waiting = [];
  }
  const [first] = waiting;
  if (first !== undefined)
    errors.push(
      `--history: ${JSON.stringify(first.slice(0, SHOWN))} has no number of states: end the list with =N, such as ${JSON.stringify(`${first.slice(0, SHOWN)}=10`)}`,
    );
  return errors;
}

const SHOWN = 100;

function problemOf(name: string, number: string | undefined, states: ReadonlyMap<string, number>): string | undefined {
  if (!PART.test(name) || (name.startsWith("*") && !name.includes(".")))
    return "is not the name of a resource, such as configmaps, deployments.apps, *.example.com, *. for the core group, or *.*";
  if (WITHOUT.test(name)) return "is a resource without a history: remove it";
  if (number !== undefined && !(/^[1-9]\d{0,3}$/.test(number) && Number(number) <= HISTORY_STATES_MAX))
    return `must end with a number of states from 1 to ${HISTORY_STATES_MAX}`;
  return states.has(name) ? "is named twice" : undefined;
}
