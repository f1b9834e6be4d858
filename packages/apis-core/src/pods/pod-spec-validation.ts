// Validation of the spec of pods and pod templates. Source: pkg/apis/core/validation/validation.go.

import {
  absentAs,
  all,
  each,
  fields,
  label1123,
  labels,
  oneOf,
  qualifiedName,
  type Rule,
  rangeOf,
  required,
  subdomain,
} from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import { allContainerErrors } from "../containers/containers-validation";
import { containerResources } from "../containers/resource-requirements-validation";
import { podSecurityContext } from "../containers/security-context-validation";
import { type VolumeOwner, type VolumesByName, volumes } from "../volumes/volumes-validation";
import { affinity, topologySpreadConstraints } from "./affinity-validation";
import { envFileVolumes, hostnameOverride, hostUsers, unmaskedProc } from "./host-namespaces-validation";
import { hostSysctls } from "./host-sysctls-validation";
import { hostProcesses, operatingSystem } from "./operating-system-validation";
import { hostAlias, podDns } from "./pod-dns-validation";
import { podResources } from "./pod-resources-validation";
import { podResourceClaims } from "./resource-claims-validation";
import { schedulingGates } from "./scheduling-gates-validation";
import { toleration } from "./tolerations-validation";

const volumesAndContainers =
  (owner: VolumeOwner): Rule<coreV1.PodSpec> =>
  (spec, at, report) => {
    const byName = spec.volumes === undefined ? NO_VOLUMES : volumes(spec.volumes, owner, at.field("volumes"), report);
    allContainerErrors(spec, { volumes: byName, owner }, at, report);
  };

const NO_VOLUMES: VolumesByName = new Map();

/** Reports the error at the security context since 1.26, as Kubernetes does. */
const onePidNamespace: Rule<coreV1.PodSpec> = ({ shareProcessNamespace, hostPID }, at, report) => {
  if (!shareProcessNamespace || !hostPID) return;
  const place = report.features.since("1.26") ? at.field("securityContext") : at;
  const text = "ShareProcessNamespace and HostPID cannot both be enabled";
  report.invalid(place.field("shareProcessNamespace"), true, text);
};

const preemption = oneOf("PreemptLowerPriority", "Never");

/** Distinguishes an absent value from an empty text. */
const preemptionPolicy: Rule<coreV1.PodSpec> = ({ preemptionPolicy: policy }, at, report) => {
  if (policy === undefined || policy === null) return;
  const place = at.field("preemptionPolicy");
  if ((policy as string) === "") report.required(place);
  else preemption(policy, place, report);
};

const MAX_SECONDS = 2 ** 31 - 1;

const deadlineSeconds = rangeOf(1, MAX_SECONDS);

const otherFields: Rule<coreV1.PodSpec> = all(
  podResources,
  podResourceClaims,
  fields<coreV1.PodSpec>({
    restartPolicy: required(oneOf("Always", "OnFailure", "Never")),
    dnsPolicy: required(oneOf("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")),
    nodeSelector: labels,
    securityContext: podSecurityContext,
    affinity,
  }),
  podDns,
  onePidNamespace,
  hostSysctls,
  fields<coreV1.PodSpec>({
    readinessGates: each(fields<coreV1.PodReadinessGate>({ conditionType: absentAs("", qualifiedName) })),
    serviceAccountName: subdomain,
    nodeName: subdomain,
    activeDeadlineSeconds: deadlineSeconds,
    hostname: label1123,
    subdomain: label1123,
    tolerations: each(toleration),
    hostAliases: each(hostAlias),
    priorityClassName: subdomain,
    runtimeClassName: subdomain,
    overhead: (list, at, report) => {
      // Kubernetes validates the overhead as limits.
      containerResources(list, report.features.since("1.26") ? at.field("limits") : at, report);
    },
    topologySpreadConstraints,
  }),
  preemptionPolicy,
  schedulingGates,
  hostUsers,
  unmaskedProc,
  operatingSystem,
  hostProcesses,
  hostnameOverride,
  envFileVolumes,
);

/** Rules of the spec of a pod. */
export const podSpec: Rule<coreV1.PodSpec> = all(volumesAndContainers("pod"), otherFields);

/** Rules of the spec of a pod template. */
export const templatePodSpec: Rule<coreV1.PodSpec> = all(volumesAndContainers("template"), otherFields);
