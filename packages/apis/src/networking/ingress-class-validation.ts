// Validation of ingress classes. Source: pkg/apis/networking/validation/validation.go.

import {
  all,
  changes,
  domainPrefixedPath,
  fields,
  immutable,
  isExact,
  label1123,
  pathSegment,
  type Rule,
  required,
  subdomain,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { networkingV1 } from "@orch/schema";

const CONTROLLER_MAX = 250;

/** Requires a namespace exactly when the parameters are in one. Source: KEP-2365, "IngressClass Namespaced Params". */
const scopeOfParameters: Rule<networkingV1.IngressClassParametersReference> = ({ scope, namespace }, at, report) => {
  if (!report.features.since("1.23")) return;
  const place = at.field("namespace");
  const isGiven = isExact(report) ? scope !== undefined && scope !== null : Boolean(scope);
  if (isGiven && scope !== "Cluster" && scope !== "Namespace") {
    report.notSupported(at.field("scope"), scope, ["Cluster", "Namespace"]);
  } else if (scope !== "Namespace") {
    if (namespace !== undefined) report.forbidden(place, "may not be set when `scope` is 'Cluster'");
  } else if (namespace === undefined) report.required(place, "must be set when `scope` is 'Namespace'");
  else label1123(namespace, place, report);
};

export const validateIngressClass = validator(
  fields<networkingV1.IngressClass>({
    spec: fields<networkingV1.IngressClassSpec>({
      controller: required(
        all<string>((text, at, report) => {
          if (text.length > CONTROLLER_MAX) report.tooLong(at, CONTROLLER_MAX);
        }, domainPrefixedPath),
      ),
      parameters: all<networkingV1.IngressClassParametersReference>(
        fields<networkingV1.IngressClassParametersReference>({
          apiGroup: subdomain,
          kind: required(pathSegment),
          name: required(pathSegment),
        }),
        scopeOfParameters,
      ),
    }),
  }),
);

export const validateIngressClassUpdate = updateValidator<networkingV1.IngressClass>(
  changes<networkingV1.IngressClass>({ spec: changes<networkingV1.IngressClassSpec>({ controller: immutable }) }),
);
