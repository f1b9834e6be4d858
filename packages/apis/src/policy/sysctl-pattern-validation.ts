// Validation of sysctl names and prefixes. Source: pkg/apis/policy/validation/validation.go.

import type { Rule } from "@orch/apis-model";
import type { policyV1beta1 } from "@orch/schema";

const SEGMENT = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const PATTERN = new RegExp(`^(${SEGMENT}\\.)*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]$`);
const MAX_CHARACTERS = 253;
const ANY = "*";

const patterns: Rule<readonly string[]> = (list, at, report) => {
  list.forEach((text, position) => {
    const place = at.item(position);
    if (text === "") report.invalid(place, text, "empty sysctl not allowed");
    else if (text.length > MAX_CHARACTERS || !PATTERN.test(text)) {
      const detail = `must have at most ${MAX_CHARACTERS} characters and match regex ${PATTERN.source}`;
      report.invalid(place, text, detail);
    }
  });
  if (list.length > 1 && list.some((text) => text.startsWith(ANY))) {
    report.forbidden(at, "if '*' is present, must not specify other sysctls");
  }
};

/** Rejects sysctls that are both allowed and forbidden. */
export const sysctlLists: Rule<policyV1beta1.PodSecurityPolicySpec> = (spec, at, report) => {
  const { allowedUnsafeSysctls: allowed = [], forbiddenSysctls = [] } = spec;
  const allowedAt = at.field("allowedUnsafeSysctls");
  patterns(allowed, allowedAt, report);
  patterns(forbiddenSysctls, at.field("forbiddenSysctls"), report);
  const overlapping = overlaps(forbiddenSysctls);
  allowed.forEach((text, position) => {
    const other = overlapping(text);
    if (other !== undefined) report.invalid(allowedAt.item(position), text, `sysctl overlaps with ${other}`);
  });
};

/** Builds a lookup. @returns a function that finds a pattern which overlaps with the given one */
function overlaps(patterns: readonly string[]): (text: string) => string | undefined {
  const names = new Set(patterns);
  const starts = patterns.map(startOf).sort();
  const beginnings = shortest(patterns.filter(isBeginning).map(startOf).sort());
  return (text) => {
    const start = startOf(text);
    // In sorted order, texts with a given prefix follow its position, and prefixes of a text precede its position.
    const longer = isBeginning(text) ? starts[placeOf(starts, start)] : undefined;
    if (longer?.startsWith(start)) return names.has(longer) ? longer : `${longer}${ANY}`;
    const beginning = beginnings[placeOf(beginnings, `${start}\0`) - 1];
    if (beginning !== undefined && start.startsWith(beginning)) return `${beginning}${ANY}`;
    return names.has(text) ? text : undefined;
  };
}

const isBeginning = (text: string): boolean => text.endsWith(ANY);
const startOf = (text: string): string => (isBeginning(text) ? text.slice(0, -1) : text);

/** Returns the prefixes that have no shorter prefix in the list. @param sorted sorted prefixes */
function shortest(sorted: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (const each of sorted) {
    const last = kept.at(-1);
    if (last === undefined || !each.startsWith(last)) kept.push(each);
  }
  return kept;
}

/** Returns the index of the first text that is not less, by binary search. */
function placeOf(sorted: readonly string[], text: string): number {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] as string) < text) from = middle + 1;
    else to = middle;
  }
  return from;
}
