// Kernel parameters by name, or by how their names begin. Source: facts, validation/policy.md "spec.allowedUnsafeSysctls".
import type { policyV1beta1 } from "@orch/schema";
import type { Rule } from "../validation/rule";

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

/** Nothing can be both allowed and forbidden. */
export const sysctlLists: Rule<policyV1beta1.PodSecurityPolicySpec> = (spec, at, report) => {
  const { allowedUnsafeSysctls: allowed = [], forbiddenSysctls = [] } = spec;
  const allowedAt = at.field("allowedUnsafeSysctls");
  patterns(allowed, allowedAt, report);
  patterns(forbiddenSysctls, at.field("forbiddenSysctls"), report);
  allowed.forEach((text, position) => {
    const other = forbiddenSysctls.find((each) => overlap(text, each));
    if (other !== undefined) report.invalid(allowedAt.item(position), text, `sysctl overlaps with ${other}`);
  });
};

/** Whether some name is meant by both. */
function overlap(one: string, other: string): boolean {
  if (!one.endsWith(ANY) && !other.endsWith(ANY)) return one === other;
  const prefix = (text: string) => (text.endsWith(ANY) ? text.slice(0, -1) : text);
  return (
    (one.endsWith(ANY) && prefix(other).startsWith(prefix(one))) ||
    (other.endsWith(ANY) && prefix(one).startsWith(prefix(other)))
  );
}
