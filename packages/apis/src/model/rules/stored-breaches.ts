// Rules that came after objects which break them: nobody asks of an update what the stored object did not keep either.
import { Report } from "./report";
import type { Rule } from "./rule";
import type { UpdateRule } from "./update-rule";

/** @param breach found by the rule in the stored object, excuses the same in the next */
export const unlessBrokenBefore =
  <T>(rule: Rule<T>): UpdateRule<T> =>
  (next, old, at, report) => {
    const before = new Report(report);
    rule(old, at, before);
    if (before.errors.length === 0) rule(next, at, report);
  };
