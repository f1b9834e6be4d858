// Rules that are newer than stored objects which violate them. An update need not correct such a violation.
import { Report } from "./report";
import type { Rule } from "./rule";
import type { UpdateRule } from "./update-rule";

/** Skips the rule when the stored object violates it. */
export const unlessBrokenBefore =
  <T>(rule: Rule<T>): UpdateRule<T> =>
  (next, old, at, report) => {
    const before = new Report(report);
    rule(old, at, before);
    if (before.errors.length === 0) rule(next, at, report);
  };
