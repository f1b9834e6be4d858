import {
  type BuiltInResource,
  fieldAt,
  flag,
  nothing,
  objectAt,
  podFields,
  podStatusFields,
  type RuleContext,
  text,
} from "@orch/apis-model";
import { isInt64, isObject, type JsonObject } from "@orch/schema";
import { bindingErrors } from "./bindings";
import { podColumns, podRowConditions } from "./pod-columns";
import { fillPodResources } from "./pod-level-resources";
import { beginPending, countSpecChange, keepObservations } from "./pod-preparation";
import { resizeAlone } from "./pod-resize";
import { podResizeErrors } from "./pod-resize-validation";
import { podStatusErrors } from "./pod-status-validation";
import { podStrictFormats } from "./pod-strict-formats";
import { ephemeralContainersErrors, podUpdateErrors } from "./pod-update-validation";
import { newPodErrors, podErrors } from "./pod-validation";
import { requestLimits } from "./resource-requests";
import { podWarnings } from "./warnings/pod-warnings";

const nodeName = text("spec.nodeName");

/**
 * Size from which a pod is long: several times that of usual pods. A dozen plugins and each limit range of the
 * namespace read every value of a pod.
 */
const LONG_BYTES = 40 * 1024;

export const pods = {
  group: "core",
  kind: "Pod",
  plural: "pods",
  shortNames: ["po"],
  categories: ["all"],
  scope: "Namespaced",
  versions: [{ version: "v1" }],
  longBytes: LONG_BYTES,
  defaults: {
    fields: { "spec.enableServiceLinks": true },
    then: requestLimits,
    gated: [{ gate: "PodLevelResources", then: fillPodResources }],
  },
  rules: {
    nameFormat: "subdomain",
    declared: true,
    keepOnUpdate: ["status"],
    gated: podFields("spec"),
    create: beginPending,
    update: countSpecChange,
    validate: podErrors,
    validateCreate: newPodErrors,
    validateUpdate: podUpdateErrors,
    warnings: podWarnings,
    strictFormats: podStrictFormats("spec"),
    deletion: { graceSeconds },
  },
  subresources: {
    status: {
      keeps: ["spec", "metadata.ownerReferences"],
      gated: podStatusFields(),
      update: keepObservations,
      validateUpdate: podStatusErrors,
    },
    ephemeralcontainers: {
      keeps: ["status"],
      keepsMetadata: true,
      gate: "EphemeralContainers",
      former: { until: "1.22", kind: "EphemeralContainers", field: "ephemeralContainers" },
      gated: podFields("spec"),
      update: changeEphemeralContainersAlone,
      validateUpdate: ephemeralContainersErrors,
    },
    resize: {
      keeps: ["status"],
      keepsMetadata: true,
      update: (pod, old, context) => {
        resizeAlone(pod, old, context);
        countSpecChange(pod, old, context);
      },
      validateUpdate: (pod, old, context) => [...podErrors(pod, context), ...podResizeErrors(pod, old, context)],
    },
  },
  actions: {
    binding: { bodies: [{ group: "core", version: "v1", kind: "Binding" }], validate: bindingErrors },
    eviction: {
      bodies: [
        { group: "policy", version: "v1", kind: "Eviction", introduced: "1.22" },
        // Accepted in every release: older clients drain nodes with it even after policy/v1beta1 is removed.
        { group: "policy", version: "v1beta1", kind: "Eviction" },
      ],
    },
  },
  connections: {
    attach: { passes: "streams", options: "PodAttachOptions" },
    exec: { passes: "streams", options: "PodExecOptions" },
    log: { passes: "text", options: "PodLogOptions", shows: "Pod" },
    portforward: { passes: "streams", options: "PodPortForwardOptions" },
    proxy: { passes: "requests", options: "PodProxyOptions" },
  },
  selectableFields: {
    "spec.nodeName": nodeName,
    "spec.host": nodeName,
    "spec.restartPolicy": text("spec.restartPolicy"),
    "spec.schedulerName": text("spec.schedulerName"),
    "spec.serviceAccountName": text("spec.serviceAccountName"),
    "spec.hostNetwork": { ...flag("spec.hostNetwork"), introduced: "1.28" },
    "status.phase": text("status.phase"),
    "status.podIP": text("status.podIP"),
    "status.podIPs": nothing,
    "status.nominatedNodeName": text("status.nominatedNodeName"),
  },
  indexedFields: ["spec.nodeName", "spec.host", "status.phase"],
  deleteReturnsObject: true,
  columns: podColumns,
  rowConditions: podRowConditions,
} as const satisfies BuiltInResource;

function changeEphemeralContainersAlone(pod: JsonObject, old: JsonObject, context: RuleContext): void {
  const { ephemeralContainers } = objectAt(pod, "spec");
  const { ephemeralContainers: _, ...spec } = isObject(old["spec"]) ? old["spec"] : {};
  pod["spec"] = ephemeralContainers === undefined ? spec : { ...spec, ephemeralContainers };
  countSpecChange(pod, old, context);
}

/** Returns the grace period. It is 0 for a pod without a node and for a finished one. */
function graceSeconds(pod: JsonObject, asked: number | undefined): number {
  const phase = fieldAt(pod, ["status", "phase"]);
  if (!fieldAt(pod, ["spec", "nodeName"]) || phase === "Failed" || phase === "Succeeded") return 0;
  const seconds = asked ?? fieldAt(pod, ["spec", "terminationGracePeriodSeconds"]);
  return isInt64(seconds ?? null) ? Number(seconds) : GRACE_SECONDS;
}

/** Default grace period in seconds. */
const GRACE_SECONDS = 30;
