// Rules that report exactly what kube-apiserver reports. Since 1.36, errors have its paths and reasons also where these
// are less precise: an error of an item at the list, several errors for one value. Earlier releases name the item, and
// report one error.
import type { Place } from "./place";
import type { Report } from "./report";
import { absentAs, each, isAbsent, type Rule, required } from "./rule";

/** Returns whether errors have the paths and reasons of kube-apiserver in every detail. */
export const isExact = (report: Report): boolean => report.features.since("1.36");

/** Applies one rule where errors are exact, and another one elsewhere. */
export function exactly<T>(exact: Rule<T>, otherwise: Rule<T>): Rule<T> {
  const rule: Rule<T> = (value, at, report) => (isExact(report) ? exact : otherwise)(value, at, report);
  if (exact.whenAbsent === undefined && otherwise.whenAbsent === undefined) return rule;
  const whenAbsent = (at: Place, report: Report, value?: unknown) => {
    const chosen = isExact(report) ? exact : otherwise;
    if (chosen.whenAbsent !== undefined) chosen.whenAbsent(at, report, value);
    else if (value === "") chosen(value as T, at, report);
  };
  return Object.assign(rule, { whenAbsent });
}

/** Applies a rule only where errors are exact. */
export const onlyExactly = <T>(rule: Rule<T>): Rule<T> => exactly(rule, () => undefined);

/** Applies a rule to each item of a list. Exact errors are those of the list. */
export function eachAtList<T>(rule: Rule<T>): Rule<readonly T[]> {
  return exactly((list, at, report) => {
    for (const item of list) rule(item, at, report);
  }, each(rule));
}

/** Requires a text that may be empty. Exact errors of an empty text are those of the rule. */
export function present<T>(rule: Rule<T>, detail = ""): Rule<T> {
  const checked: Rule<T> = (value, at, report) => rule(value, at, report);
  const whenAbsent = (at: Place, report: Report, value?: unknown) => {
    if (value === "" && isExact(report)) rule(value as T, at, report);
    else report.required(at, detail);
  };
  return Object.assign(checked, { whenAbsent });
}

/** Requires a text. Exact errors of an absent one include those of the rule for an empty text. */
export function requiredText(rule: Rule<string>, detail = ""): Rule<string> {
  const checked: Rule<string> = (value, at, report) => {
    if (isAbsent(value)) whenAbsent(at, report);
    else rule(value, at, report);
  };
  const whenAbsent = (at: Place, report: Report) => {
    report.required(at, detail);
    if (isExact(report)) rule("", at, report);
  };
  return Object.assign(checked, { whenAbsent });
}

/** Applies a rule to a text. Where errors are exact, an absent text is an empty one; elsewhere it is required. */
export const textOf = (rule: Rule<string>): Rule<string> => exactly(absentAs("", rule), required(rule));
