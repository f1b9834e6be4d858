// Validation of ingress classes. Source: pkg/apis/networking/validation/validation.go.

import {
  all,
  changes,
  domainPrefixedPath,
  fields,
  immutable,
  pathSegment,
  required,
  subdomain,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { networkingV1 } from "@orch/schema";

const CONTROLLER_MAX = 250;

export const validateIngressClass = validator(
  fields<networkingV1.IngressClass>({
    spec: fields<networkingV1.IngressClassSpec>({
      controller: required(
        all<string>((text, at, report) => {
          if (text.length > CONTROLLER_MAX) report.tooLong(at, CONTROLLER_MAX);
        }, domainPrefixedPath),
      ),
      parameters: fields<networkingV1.IngressClassParametersReference>({
        apiGroup: subdomain,
        kind: required(pathSegment),
        name: required(pathSegment),
      }),
    }),
  }),
);

export const validateIngressClassUpdate = updateValidator<networkingV1.IngressClass>(
  changes<networkingV1.IngressClass>({ spec: changes<networkingV1.IngressClassSpec>({ controller: immutable }) }),
);
