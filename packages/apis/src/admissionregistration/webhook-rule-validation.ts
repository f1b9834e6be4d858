// Validation of the rules of webhooks. Source: pkg/apis/admissionregistration/validation/validation.go.

import { each, fields, oneOf, type Rule, required } from "@orch/apis-model";
import type { admissionregistrationV1 } from "@orch/schema";

const ANY = "*";

/** `*` must be the only item. */
const aloneIfAny =
  (what: string): Rule<readonly string[]> =>
  (list, at, report) => {
    if (list.length > 1 && list.includes(ANY)) {
      report.invalid(at, list, `if '*' is present, must not specify other ${what}`);
    }
  };

const list =
  (...rules: readonly Rule<readonly string[]>[]): Rule<readonly string[]> =>
  (value, at, report) => {
    for (const rule of rules) rule(value, at, report);
  };

/** Names as in request paths, `resource` or `resource/subresource`; a name must not be covered by an earlier one. */
const resources: Rule<readonly string[]> = (names, at, report) => {
  const wholeResources = new Set<string>();
  const anyResource = new Set<string>();
  let lastPlain = "";
  names.forEach((name, position) => {
    const place = at.item(position);
    if (name === "") {
      report.required(place);
      return;
    }
    const slash = name.indexOf("/");
    if (slash < 0) {
      lastPlain = name;
      return;
    }
    const resource = name.slice(0, slash);
    const subresource = name.slice(slash + 1);
    if (wholeResources.has(resource)) {
      report.invalid(place, name, `if '${resource}/*' is present, must not specify ${name}`);
    }
    if (anyResource.has(subresource)) {
      report.invalid(place, name, `if '*/${subresource}' is present, must not specify ${name}`);
    }
    if (subresource === ANY) wholeResources.add(resource);
    if (resource === ANY) anyResource.add(subresource);
  });
  if (names.length > 1 && names.includes("*/*")) {
    report.invalid(at, names, "if '*/*' is present, must not specify other resources");
  }
  // A name before `*` is accepted, as in Kubernetes.
  if (names.includes(ANY) && lastPlain !== ANY) {
    report.invalid(at, names, "if '*' is present, must not specify other resources without subresources");
  }
};

export const webhookRule = fields<admissionregistrationV1.RuleWithOperations>({
  operations: required(list(aloneIfAny("operations"), each(oneOf("CREATE", "UPDATE", "DELETE", "CONNECT", ANY)))),
  apiGroups: required(aloneIfAny("API groups")),
  apiVersions: required(list(aloneIfAny("API versions"), each(required()))),
  resources: required(resources),
  scope: oneOf("Cluster", "Namespaced", ANY),
});
