// Rules of names in resource.k8s.io. Source: pkg/apis/resource/validation/validation.go.
import { all, label1123, type Rule, required, subdomain } from "@orch/apis-model";

const DRIVER_MAX_BYTES = 63;
const POOL_MAX_BYTES = 253;
const IDENTIFIER_MAX_BYTES = 32;

const driver: Rule<string> = (name, at, report) => {
  if (name.length > DRIVER_MAX_BYTES) report.tooLong(at, DRIVER_MAX_BYTES);
  subdomain(name.toLowerCase(), at, report);
};

/** Name of a driver: a subdomain, in either case. */
export const driverName: Rule<string> = required(driver);

/** Name of a pool: subdomains separated by slashes. */
export const poolName: Rule<string> = required((name, at, report) => {
  if (name.length > POOL_MAX_BYTES) return report.tooLong(at, POOL_MAX_BYTES);
  for (const part of name.split("/")) subdomain(part, at, report);
});

/** Name of a device, a request or a counter. */
export const deviceName: Rule<string> = required(label1123);

export const className: Rule<string> = required(subdomain);

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const IDENTIFIER_DETAIL =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'";

const identifier: Rule<string> = (name, at, report) => {
  if (name.length > IDENTIFIER_MAX_BYTES) report.tooLong(at, IDENTIFIER_MAX_BYTES);
  if (!IDENTIFIER.test(name)) report.invalid(at, name, IDENTIFIER_DETAIL);
};

/** Name of an attribute or a capacity: an identifier, with the domain of its driver in front or without. */
export const attributeName: Rule<string> = (name, at, report) => {
  const [first = "", second, ...more] = name.split("/");
  if (more.length > 0) return;
  if (second === undefined) return identifier(first, at, report);
  if (first === "") report.invalid(at, "", "the domain must not be empty");
  else driver(first, at, report);
  if (second === "") report.invalid(at, "", "the name must not be empty");
  else identifier(second, at, report);
};

/** Name of an attribute with the domain of its driver. */
export const fullAttributeName: Rule<string> = all(attributeName, (name, at, report) => {
  if (name.includes("/")) return;
  report.invalid(at, name, "a fully qualified name must be a domain and a name separated by a slash");
});

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const shareId: Rule<string> = (id, at, report) => {
  if (UUID.test(id)) return;
  report.invalid(at, id, "must be a UUID in the form of RFC 4122 with lowercase hexadecimal digits");
};
