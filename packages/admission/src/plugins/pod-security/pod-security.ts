// PodSecurity plugin: evaluates pods against the pod security standards in the modes enforce, audit and warn of their
// namespace. Source: Kubernetes documentation, "Pod Security Admission".
import type { AdmissionRequest } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { definePlugin } from "../../contract/plugin";
import { readConfiguration } from "./configuration";
import { PodEvaluation } from "./evaluation";
import { policyLabels } from "./namespace-policy";
import { handleNamespace } from "./namespace-requests";
import { handlePod, handlePodTemplate, type PodShape } from "./pod-requests";
import type { PodSecurityContext } from "./pod-security-context";
import { PodSecurityCounts } from "./pod-security-counts";

export const podSecurity = definePlugin({
  name: "PodSecurity",
  reads: ["vocabulary", "release", "objects", "clock", "yielder", "podSecurity"],
  configure: (stated, { vocabulary }) => readConfiguration(stated, vocabulary),
  make({ podSecurity: observer, ...dependencies }, configuration) {
    const { vocabulary, release } = dependencies;
    const context: PodSecurityContext = {
      ...dependencies,
      counts: new PodSecurityCounts(observer, release),
      configuration,
      labels: policyLabels(vocabulary),
      evaluation: new PodEvaluation(release, dependencies.yielder),
      known: new WeakMap(),
    };
    return {
      on: [{ operations: ["CREATE", "UPDATE"], resources: RESOURCES }],
      validate: (request) => judge(context, request),
    };
  },
});

/** Paths of the pod template, keyed by resource. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  "/replicationcontrollers": ["spec", "template"],
  "/podtemplates": ["template"],
  "apps/replicasets": ["spec", "template"],
  "apps/deployments": ["spec", "template"],
  "apps/statefulsets": ["spec", "template"],
  "apps/daemonsets": ["spec", "template"],
  "batch/jobs": ["spec", "template"],
  "batch/cronjobs": ["spec", "jobTemplate", "spec", "template"],
};

/** Pod subresources that do not change containers. */
const OTHER_PARTS: ReadonlySet<string> = new Set([
  "exec",
  "attach",
  "binding",
  "eviction",
  "log",
  "portforward",
  "proxy",
  "status",
]);

const RESOURCES = [
  { group: "", plural: "namespaces", subresource: "" },
  { group: "", plural: "pods" },
  ...Object.keys(TEMPLATES).map((resource) => {
    const [group, plural] = resource.split("/") as [string, string];
    return { group, plural, subresource: "" };
  }),
];

function judge(context: PodSecurityContext, request: AdmissionRequest): void | Promise<void> {
  const { group, plural } = request.definition;
  if (plural === "namespaces") return handleNamespace(context, request);
  if (plural !== "pods")
    return handlePodTemplate(context, request, templateAt(request, TEMPLATES[`${group}/${plural}`] ?? []));
  if (!OTHER_PARTS.has(request.subresource)) return handlePod(context, request);
}

function templateAt({ object }: AdmissionRequest, path: readonly string[]): PodShape | undefined {
  return path.reduce<JsonObject | undefined>((at, name) => at?.[name] as JsonObject | undefined, object) as
    | PodShape
    | undefined;
}
