// Rules of single values: names, numbers and enumerations. Source:
// staging/src/k8s.io/apimachinery/pkg/util/validation/validation.go.
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

/** Builds a rule from a format. Each violated sentence is an error. */
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

/** Subdomain that may end with a dot. */
export const absoluteSubdomain = format((text: string) =>
  subdomainErrors(text.endsWith(".") ? text.slice(0, -1) : text),
);

/** Requires one of the words. */
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

/** Limits the number of characters. Reports an invalid value. */
export const maxCharacters =
  (max: number): Rule<string> =>
  (value, at, report) => {
    if (value.length > max) report.invalid(at, value, tooLongText(max));
  };

/** Requires a port number or a port name. */
export const portNumberOrName: Rule<intstr.IntOrString> = (value, at, report) =>
  report.misformed(at, value, typeof value === "number" ? portNumberErrors(value) : portNameErrors(value));

const isPercent = (value: intstr.IntOrString): boolean =>
  typeof value === "string" && percentErrors(value).length === 0;

/** Requires a non-negative integer or a percentage. */
export const nonNegativeOrPercent: Rule<intstr.IntOrString> = (value, at, report) => {
  if (typeof value === "number") nonNegative(value, at, report);
  else report.misformed(at, value, percentErrors(value));
};

/** Returns the number of a percentage; undefined for a plain number. */
export const percentOf = (value: intstr.IntOrString): number | undefined =>
  isPercent(value) ? Number(String(value).slice(0, -1)) : undefined;

export const notMoreThan100Percent: Rule<intstr.IntOrString> = (value, at, report) => {
  if ((percentOf(value) ?? 0) > 100) report.invalid(at, value, "must not be greater than 100%");
};

export const labels: Rule<{ readonly [key: string]: string }> = (value, at, report) => {
  for (const key in value) {
    // The path is formatted only when the map has an error.
    if (qualifiedNameErrors(key).length === 0 && labelValueErrors(value[key] as string).length === 0) continue;
    return report.found(labelErrors(value, at.toString()));
  }
};

export const labelSelector: Rule<metaV1.LabelSelector> = (value, at, report) => {
  if (value.matchLabels === undefined && value.matchExpressions === undefined) return;
  report.found(labelSelectorErrors(value as unknown as JsonObject, at.toString()));
};
