// Rules of single values: names, numbers, words of a list. Source: facts, validation/_common.md "Formats".
import {
  configKeyErrors,
  domainPrefixedPathErrors,
  envVarNameErrors,
  type FormatErrors,
  fullyQualifiedDomainNameErrors,
  fullyQualifiedNameErrors,
  ipErrors,
  label1035Errors,
  label1123Errors,
  labelErrors,
  labelSelectorErrors,
  labelValueErrors,
  operatingSystemIdErrors,
  pathSegmentErrors,
  percentErrors,
  portNameErrors,
  portNumberErrors,
  qualifiedNameErrors,
  rangeErrors,
  subdomainErrors,
  tooLongText,
  wildcardSubdomainErrors,
} from "@orch/machinery";
import type { intstr, JsonObject, metaV1 } from "@orch/schema";
import type { Rule } from "../model/rules/rule";

/** A text or number of a format; each sentence that it breaks is an error. */
export const format =
  <T>(errorsOf: (value: T) => FormatErrors): Rule<T> =>
  (value, at, report) => {
    const errors = errorsOf(value);
    if (errors.length > 0) report.misformed(at, value, errors);
  };

export const label1123 = format(label1123Errors);
export const label1035 = format(label1035Errors);
export const subdomain = format(subdomainErrors);
export const wildcardSubdomain = format(wildcardSubdomainErrors);
export const qualifiedName = format(qualifiedNameErrors);
export const labelValue = format(labelValueErrors);
export const pathSegment = format(pathSegmentErrors);
export const envVarName = format(envVarNameErrors);
export const configKey = format(configKeyErrors);
export const portName = format(portNameErrors);
export const portNumber = format(portNumberErrors);
export const ip = format(ipErrors);
export const operatingSystemId = format(operatingSystemIdErrors);
export const fullyQualifiedName = format(fullyQualifiedNameErrors);
export const fullyQualifiedDomainName = format(fullyQualifiedDomainNameErrors);
export const domainPrefixedPath = format(domainPrefixedPathErrors);

/** Names that a trailing dot may end. */
export const absoluteSubdomain = format((text: string) =>
  subdomainErrors(text.endsWith(".") ? text.slice(0, -1) : text),
);

/** One of these words. */
export function oneOf(...words: readonly string[]): Rule<string> {
  const known: ReadonlySet<string> = new Set(words);
  const listed = [...words].filter((word) => word !== "").sort();
  return (value, at, report) => {
    if (!known.has(value)) report.notSupported(at, value, listed);
  };
}

export const NOT_NEGATIVE = "must be greater than or equal to 0";

export const nonNegative: Rule<number> = (value, at, report) => {
  if (value < 0) report.invalid(at, value, NOT_NEGATIVE);
};

export const positive: Rule<number> = (value, at, report) => {
  if (value <= 0) report.invalid(at, value, "must be greater than 0");
};

export const rangeOf = (min: number, max: number): Rule<number> =>
  format((value: number) => rangeErrors(value, { min, max }));

/** Characters, as an invalid value. */
export const maxCharacters =
  (max: number): Rule<string> =>
  (value, at, report) => {
    if (value.length > max) report.invalid(at, value, tooLongText(max));
  };

/** A port by number or by name. */
export const portNumberOrName: Rule<intstr.IntOrString> = (value, at, report) =>
  report.misformed(at, value, typeof value === "number" ? portNumberErrors(value) : portNameErrors(value));

const isPercent = (value: intstr.IntOrString): boolean =>
  typeof value === "string" && percentErrors(value).length === 0;

/** A whole number that is not negative, or a percentage. */
export const nonNegativeOrPercent: Rule<intstr.IntOrString> = (value, at, report) => {
  if (typeof value === "number") nonNegative(value, at, report);
  else report.misformed(at, value, percentErrors(value));
};

/** @returns what a percentage says; undefined for a plain number */
export const percentOf = (value: intstr.IntOrString): number | undefined =>
  isPercent(value) ? Number(String(value).slice(0, -1)) : undefined;

export const notMoreThan100Percent: Rule<intstr.IntOrString> = (value, at, report) => {
  if ((percentOf(value) ?? 0) > 100) report.invalid(at, value, "must not be greater than 100%");
};

export const labels: Rule<{ readonly [key: string]: string }> = (value, at, report) => {
  for (const key in value) {
    // Spelling the path is left for a map that is wrong.
    if (qualifiedNameErrors(key).length === 0 && labelValueErrors(value[key] as string).length === 0) continue;
    return report.found(labelErrors(value, at.toString()));
  }
};

export const labelSelector: Rule<metaV1.LabelSelector> = (value, at, report) => {
  if (value.matchLabels === undefined && value.matchExpressions === undefined) return;
  report.found(labelSelectorErrors(value as unknown as JsonObject, at.toString()));
};
