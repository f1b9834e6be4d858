// Rules of names in resource.k8s.io. Source: pkg/apis/resource/validation/validation.go.
import { DECLARED_FORMATS, label1123, type Rule, required, resourceQualifiedName, textOf } from "@orch/apis-model";

const DRIVER_MAX_BYTES = 63;

/** Name of a driver: a subdomain, in either case. */
export const driverName: Rule<string> = required((name, at, report) => {
  if (name.length > DRIVER_MAX_BYTES) report.tooLong(at, DRIVER_MAX_BYTES);
  DECLARED_FORMATS.longNameCaseless(name, at, report);
});

/** Name of a pool: subdomains separated by slashes. */
export const poolName: Rule<string> = required(DECLARED_FORMATS.resourcePoolName);

/** Name of a device or a request. */
export const deviceName: Rule<string> = textOf(label1123);

/** Name of a set of counters. */
export const counterSetName: Rule<string> = required(label1123);

/** Name of an attribute or a capacity: an identifier, with the domain of its driver in front or without. */
export const attributeName: Rule<string> = resourceQualifiedName;

/** Name of an attribute with the domain of its driver. */
export const fullAttributeName: Rule<string> = DECLARED_FORMATS.resourceFullyQualifiedName;

export const shareId: Rule<string> = DECLARED_FORMATS.uuid;
