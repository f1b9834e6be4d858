// Formats that declared rules name. Source: staging/src/k8s.io/apimachinery/pkg/api/validate/strfmt.go.
import { label1123Errors, pathSegmentErrors, qualifiedNameErrors, subdomainErrors } from "@orch/machinery";
import type { DeclaredFormat } from "@orch/schema";
import { format, labelValue } from "../formats/format-rules";
import { isExtendedResource } from "../formats/resource-names";
import { isExact } from "../model/rules/exact-rule";
import { all, type Rule } from "../model/rules/rule";

const POOL_MAX_BYTES = 253;
const DOMAIN_MAX_BYTES = 63;
const IDENTIFIER_MAX_BYTES = 32;

const subdomain = format(subdomainErrors);
const qualifiedName = format(qualifiedNameErrors);

/** Pool of devices: subdomains separated by slashes. */
const resourcePoolName: Rule<string> = (name, at, report) => {
  if (name.length > POOL_MAX_BYTES) {
    report.tooLong(at, POOL_MAX_BYTES);
    if (!isExact(report)) return;
  }
  for (const part of name.split("/")) subdomain(part, at, report);
};

const longNameCaseless: Rule<string> = (name, at, report) => subdomain(name.toLowerCase(), at, report);

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const IDENTIFIER_DETAIL =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'";

const identifier: Rule<string> = (name, at, report) => {
  if (name.length > IDENTIFIER_MAX_BYTES) report.tooLong(at, IDENTIFIER_MAX_BYTES);
  if (!IDENTIFIER.test(name)) report.invalid(at, name, IDENTIFIER_DETAIL);
};

/** Name of an attribute or a capacity of a device: an identifier, with the domain of its driver in front or without. */
export const resourceQualifiedName: Rule<string> = (name, at, report) => {
  const [first = "", second, ...more] = name.split("/");
  if (more.length > 0) return;
  if (second === undefined) return identifier(first, at, report);
  if (first === "") report.invalid(at, "", "the domain must not be empty");
  else {
    if (first.length > DOMAIN_MAX_BYTES) report.tooLong(at, DOMAIN_MAX_BYTES);
    longNameCaseless(first, at, report);
  }
  if (second === "") report.invalid(at, "", "the name must not be empty");
  else identifier(second, at, report);
};

const withDomain: Rule<string> = (name, at, report) => {
  if (name.includes("/")) return;
  report.invalid(at, name, "a fully qualified name must be a domain and a name separated by a slash");
};

const withPrefix: Rule<string> = (name, at, report) => {
  if (!name.includes("/"))
    report.invalid(at, name, "must have a domain and a slash in front, such as example.com/name");
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const uuid: Rule<string> = (id, at, report) => {
  if (UUID.test(id)) return;
  report.invalid(at, id, "must be a UUID in the form of RFC 4122 with lowercase hexadecimal digits");
};

const extendedResourceName: Rule<string> = (name, at, report) => {
  if (!isExtendedResource(name, report.vocabulary)) report.invalid(at, name, "must be a valid extended resource name");
};

export const DECLARED_FORMATS: Readonly<Record<DeclaredFormat, Rule<string>>> = {
  shortName: format(label1123Errors),
  longName: subdomain,
  longNameCaseless,
  labelKey: qualifiedName,
  labelValue,
  prefixedLabelKey: all(qualifiedName, withPrefix),
  pathSegmentName: format(pathSegmentErrors),
  uuid,
  extendedResourceName,
  resourceFullyQualifiedName: all(resourceQualifiedName, withDomain),
  resourcePoolName,
};
