// Validation of sysctls of pods that use a namespace of the host: a sysctl of that namespace would change the node. Source:
// pkg/apis/core/validation/validation.go, staging/src/k8s.io/component-helpers/node/util/sysctl/namespace.go.

import type { Rule } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import { storesHostSysctls } from "../containers/stored-pod-spec";
import { hostNamespaceOf } from "../containers/sysctl-namespaces";

export const hostSysctls: Rule<coreV1.PodSpec> = (spec, at, report) => {
  const sysctls = spec.securityContext?.sysctls;
  if (sysctls === undefined || !(spec.hostNetwork || spec.hostIPC)) return;
  if (!report.features.since("1.31") || storesHostSysctls(report)) return;
  sysctls.forEach(({ name }, position) => {
    const field = hostNamespaceOf(name, spec);
    if (field === undefined) return;
    const place = at.field("securityContext").field("sysctls").item(position).field("name");
    report.invalid(place, name, `may not be specified when '${field}' is true`);
  });
};
