// Validation of API services. Source:
// staging/src/k8s.io/kube-aggregator/pkg/apis/apiregistration/validation/validation.go.

import {
  absentAs,
  all,
  each,
  fields,
  label1035,
  oneOf,
  portNumber,
  type Rule,
  rangeOf,
  required,
  subdomain,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { apiregistrationV1 } from "@orch/schema";

const GROUP_PRIORITY = rangeOf(1, 20000);
const VERSION_PRIORITY = rangeOf(1, 1000);

const named: Rule<apiregistrationV1.APIService> = ({ metadata, spec }, at, report) => {
  const { name = "" } = metadata ?? {};
  const { group = "", version = "" } = spec ?? {};
  if (name !== `${version}.${group}`) {
    report.invalid(at.field("metadata").field("name"), name, 'must be `spec.version+"."+spec.group`');
  }
  if (group === "" && version !== "v1")
    report.required(at.field("spec").field("group"), "only v1 may have an empty group");
};

const trust: Rule<apiregistrationV1.APIServiceSpec> = (
  { service, caBundle = "", insecureSkipTLSVerify },
  at,
  report,
) => {
  const skips = at.field("insecureSkipTLSVerify");
  if (service === undefined) {
    if (caBundle !== "") report.invalid(at.field("caBundle"), "<data>", "local APIServices may not have a caBundle");
    if (insecureSkipTLSVerify) report.invalid(skips, true, "local APIServices may not have insecureSkipTLSVerify");
  } else if (insecureSkipTLSVerify && caBundle !== "") {
    report.invalid(skips, true, "may not be true if caBundle is present");
  }
};

export const validateApiService = validator(
  all<apiregistrationV1.APIService>(
    named,
    fields<apiregistrationV1.APIService>({
      spec: all<apiregistrationV1.APIServiceSpec>(
        fields<apiregistrationV1.APIServiceSpec>({
          group: subdomain,
          version: absentAs<string>("", label1035),
          groupPriorityMinimum: GROUP_PRIORITY,
          versionPriority: VERSION_PRIORITY,
          service: fields<apiregistrationV1.ServiceReference>({
            namespace: required(),
            name: required(),
            port: absentAs<number>(0, portNumber),
          }),
        }),
        trust,
      ),
    }),
  ),
);

const status = fields<apiregistrationV1.APIService>({
  status: fields<apiregistrationV1.APIServiceStatus>({
    conditions: each(
      fields<apiregistrationV1.APIServiceCondition>({
        status: absentAs<string>("", oneOf("True", "False", "Unknown")),
      }),
    ),
  }),
});

export const validateApiServiceStatus = updateValidator<apiregistrationV1.APIService>((next, _old, at, report) =>
  status(next, at, report),
);
