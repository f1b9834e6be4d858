// Validation of references from environment and volumes to pod fields and container resources. Source:
// pkg/apis/core/validation/validation.go.

import { all, fields, isAbsent, type Place, type Report, type Rule, required } from "@orch/apis-model";
import { qualifiedNameErrors } from "@orch/machinery";
import type { coreV1 } from "@orch/schema";

/** Fields that a reference can name. The position of the reference restricts them further. */
const KNOWN: ReadonlySet<string> = new Set([
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.serviceAccountName",
  "spec.schedulerName",
  "status.phase",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
]);

const SUBSCRIPTED = /^(metadata\.(?:annotations|labels))\['(.*)'\]$/;

/** Returns whether the path ends with a quoted key in brackets, on one line. */
function isSubscripted(fieldPath: string): boolean {
  const open = fieldPath.indexOf("['");
  return open >= 0 && open + 2 <= fieldPath.length - 2 && fieldPath.endsWith("']") && !LINE_ENDS.test(fieldPath);
}

const LINE_ENDS = /[\n\r\u2028\u2029]/;

/** Builds the rule. @param allowed paths without a key; labels and annotations by key are always allowed */
export function fieldReference(allowed: readonly string[]): Rule<coreV1.ObjectFieldSelector> {
  const permitted: ReadonlySet<string> = new Set(allowed);
  const listed = [...allowed].sort();
  return ({ apiVersion, fieldPath }, at, report) => {
    if (isAbsent(apiVersion)) return report.required(at.field("apiVersion"));
    if (isAbsent(fieldPath)) return report.required(at.field("fieldPath"));
    const place = at.field("fieldPath");
    const problem = conversionProblem(apiVersion, fieldPath);
    if (problem !== undefined) return report.invalid(place, fieldPath, `error converting fieldPath: ${problem}`);
    const [, map, key] = SUBSCRIPTED.exec(fieldPath) ?? [];
    if (key !== undefined) subscript(map === "metadata.annotations" ? key.toLowerCase() : key, place, report);
    else if (!permitted.has(fieldPath)) report.notSupported(place, fieldPath, listed);
  };
}

function conversionProblem(apiVersion: string, fieldPath: string): string | undefined {
  if (apiVersion !== "v1") return `unsupported pod version: ${apiVersion}`;
  if (!isSubscripted(fieldPath)) return KNOWN.has(fieldPath) ? undefined : `field label not supported: ${fieldPath}`;
  return SUBSCRIPTED.test(fieldPath) ? undefined : `field label does not support subscript: ${fieldPath}`;
}

const subscript = (key: string, at: Place, report: Report): void => report.misformed(at, key, qualifiedNameErrors(key));

const RESOURCES = ["limits", "requests"].flatMap((kind) =>
  ["cpu", "ephemeral-storage", "memory"].map((name) => `${kind}.${name}`),
);
const KNOWN_RESOURCES: ReadonlySet<string> = new Set(RESOURCES);

const CPU_DIVISORS: ReadonlySet<string> = new Set(["1m", "1"]);
const SUFFIXES = ["k", "M", "G", "T", "P", "E"];
const SIZE_DIVISORS: ReadonlySet<string> = new Set([
  "1",
  ...SUFFIXES.map((suffix) => `1${suffix}`),
  ...SUFFIXES.map((suffix) => `1${suffix.toUpperCase()}i`),
]);

const resourceAndDivisor: Rule<coreV1.ResourceFieldSelector> = ({ resource, divisor = "0" }, at, report) => {
  if (isAbsent(resource)) return report.required(at.field("resource"));
  if (!KNOWN_RESOURCES.has(resource)) return report.notSupported(at.field("resource"), resource, RESOURCES);
  const name = resource.slice(resource.indexOf(".") + 1);
  const divisors = name === "cpu" ? CPU_DIVISORS : SIZE_DIVISORS;
  if (divisor === "0" || divisors.has(divisor)) return;
  const says = `only divisor's values ${[...divisors].join(", ")} are supported with the ${name} resource`;
  report.invalid(at.field("divisor"), divisor, says);
};

/** Reference to a resource of the same container. */
export const ownResource: Rule<coreV1.ResourceFieldSelector> = resourceAndDivisor;

/** Reference to a resource of a named container. */
export const namedResource: Rule<coreV1.ResourceFieldSelector> = all(
  fields<coreV1.ResourceFieldSelector>({ containerName: required() }),
  resourceAndDivisor,
);
