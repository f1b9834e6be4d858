// Questions about what the stored pod or template already uses. A change is validated by the rules that the stored
// object needs, so that an object of a newer release, or of a gate that is off again, can still be changed. Source:
// pkg/api/pod/util.go.

import { fieldAt, type Report } from "@orch/apis-model";
import { envVarNameErrors } from "@orch/machinery";
import { type coreV1, isObject, type JsonObject } from "@orch/schema";
import { splitsPages } from "./huge-pages";
import { hostNamespaceOf } from "./sysctl-namespaces";

const PLACES = [
  ["spec", "template", "spec"],
  ["spec", "jobTemplate", "spec", "template", "spec"],
  ["template", "spec"],
] as const;

/** Returns the spec of a pod, or of the template in any kind that has one. */
function podSpecOf(stored: JsonObject): coreV1.PodSpec | undefined {
  for (const place of PLACES) {
    const spec = fieldAt(stored, place);
    if (isObject(spec)) return spec as unknown as coreV1.PodSpec;
  }
  const { spec } = stored;
  return isObject(spec) && Array.isArray(spec["containers"]) ? (spec as unknown as coreV1.PodSpec) : undefined;
}

type Use = (report: Report) => boolean;

/** Builds the question whether the stored pod or template passes a test. The test runs once for each validated object. */
function use(test: (spec: coreV1.PodSpec) => boolean): Use {
  const ofObject = (stored: JsonObject): boolean => {
    const spec = podSpecOf(stored);
    return spec !== undefined && test(spec);
  };
  return (report) => report.storedIs(ofObject);
}

const allContainers = (spec: coreV1.PodSpec): readonly coreV1.Container[] => [
  ...(spec.containers ?? []),
  ...(spec.initContainers ?? []),
  ...((spec.ephemeralContainers ?? []) as readonly coreV1.Container[]),
];

const someContainer = (test: (container: coreV1.Container) => boolean): Use =>
  use((spec) => allContainers(spec).some(test));

const isRelaxedName = (name = ""): boolean => name !== "" && envVarNameErrors(name).length > 0;

export const storesRelaxedNames: Use = someContainer(
  ({ env, envFrom }) =>
    (env ?? []).some(({ name }) => isRelaxedName(name)) || (envFrom ?? []).some(({ prefix }) => isRelaxedName(prefix)),
);

export const storesFileKeys: Use = someContainer(({ env }) =>
  (env ?? []).some(({ valueFrom }) => valueFrom?.fileKeyRef !== undefined),
);

export const storesRelaxedSearches: Use = use(({ dnsConfig }) =>
  (dnsConfig?.searches ?? []).some((search) => search === "." || search.includes("_")),
);

export const storesComparedTaints: Use = use(({ tolerations }) =>
  (tolerations ?? []).some(({ operator }) => operator === "Gt" || operator === "Lt"),
);

export const storesLabelPolicy: Use = use(({ securityContext }) => securityContext?.seLinuxChangePolicy !== undefined);

export const storesRestartRules: Use = use(
  ({ containers, initContainers }) =>
    (containers ?? []).some(({ restartPolicy }) => restartPolicy !== undefined) ||
    (initContainers ?? []).some(
      ({ restartPolicy = "Always", restartPolicyRules = [] }) =>
        restartPolicy !== "Always" || restartPolicyRules.length > 0,
    ),
);

export const storesRestartOfAll: Use = use(
  ({ containers, initContainers }) =>
    [...(containers ?? []), ...(initContainers ?? [])].some(({ restartPolicyRules = [] }) =>
      restartPolicyRules.some(({ action }) => action === "RestartAllContainers"),
    ) ||
    (initContainers ?? []).some(
      ({ restartPolicy, restartPolicyRules = [] }) => restartPolicy === "Always" && restartPolicyRules.length > 0,
    ),
);

export const storesZeroSleep: Use = someContainer(({ lifecycle }) =>
  [lifecycle?.preStop?.sleep, lifecycle?.postStart?.sleep].some(
    (sleep) => sleep !== undefined && (sleep.seconds ?? 0) === 0,
  ),
);

export const storesSplitPages: Use = use(
  (spec) =>
    splitsPages(spec.overhead) ||
    allContainers(spec).some(({ resources }) => splitsPages(resources?.limits) || splitsPages(resources?.requests)),
);

export const storesHostSysctls: Use = use(
  (spec) => spec.securityContext?.sysctls?.some(({ name }) => hostNamespaceOf(name, spec) !== undefined) === true,
);

export const storesDevicesOfUserNamespace: Use = use(
  (spec) => spec.hostUsers === false && allContainers(spec).some(({ volumeDevices = [] }) => volumeDevices.length > 0),
);

export const storesHostNetworkOfUserNamespace: Use = use(
  ({ hostUsers, hostNetwork }) => hostUsers === false && hostNetwork === true,
);
