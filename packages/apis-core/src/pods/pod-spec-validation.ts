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
import type { VolumesByName } from "../containers/volume-mounts-validation";
import { volumes } from "../volumes/volumes-validation";
import { affinity, topologySpreadConstraints } from "./affinity-validation";
import { envFileVolumes, hostnameOverride, hostUsers, unmaskedProc } from "./host-namespaces-validation";
import { hostAlias, podDns } from "./pod-dns-validation";
import { podResources } from "./pod-resources-validation";
import { podResourceClaims } from "./resource-claims-validation";
import { schedulingGates } from "./scheduling-gates-validation";
import { toleration } from "./tolerations-validation";

const containers: Rule<coreV1.PodSpec> = (spec, at, report) => {
  const byName: VolumesByName =
    spec.volumes === undefined ? NO_VOLUMES : new Map(spec.volumes.map((each) => [each.name, each]));
  allContainerErrors(spec, byName, at, report);
};

const NO_VOLUMES: VolumesByName = new Map();

/** Source: KEP-2802, "Identify Windows pods at API admission level authoritatively". */
const operatingSystem: Rule<coreV1.PodSpec> = ({ os }, at, report) => {
  if (os === undefined || !report.features.since("1.25")) return;
  const place = at.field("os");
  if (!os.name) report.required(place.field("name"));
  else if (os.name !== "linux" && os.name !== "windows") report.notSupported(place, os.name, ["linux", "windows"]);
};

const onePidNamespace: Rule<coreV1.PodSpec> = ({ shareProcessNamespace, hostPID }, at, report) => {
  if (shareProcessNamespace && hostPID) {
    report.invalid(at.field("shareProcessNamespace"), true, "ShareProcessNamespace and HostPID cannot both be enabled");
  }
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

export const podSpec: Rule<coreV1.PodSpec> = all(
  fields<coreV1.PodSpec>({ volumes }),
  containers,
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
    overhead: containerResources,
    topologySpreadConstraints,
  }),
  preemptionPolicy,
  schedulingGates,
  hostUsers,
  unmaskedProc,
  operatingSystem,
  hostnameOverride,
  envFileVolumes,
);
