// Roles of the controllers that run under service accounts of their own.
// Source: plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
import type { Vocabulary } from "@orch/schema";
import { featureControllerRoles } from "./feature-controller-roles";
import { type ControllerRoleRow, gated, on, READ, since, until } from "./notation";

/**
 * Returns the roles by controller. The role is `system:controller:<name>` and is bound to the service account of that
 * name.
 */
export function controllerRoles(vocabulary: Vocabulary): ControllerRoleRow[] {
  return [...generalControllerRoles(vocabulary), ...featureControllerRoles(vocabulary)];
}

function generalControllerRoles({ groups, signers }: Vocabulary): ControllerRoleRow[] {
  const recordEvents = on(["", groups.events], "events", "create patch update");
  return [
    {
      name: "attachdetach-controller",
      rules: [
        on("", "persistentvolumeclaims persistentvolumes", "list watch"),
        on("", "nodes", READ),
        on("", "nodes/status", "patch update"),
        on("", "pods", "list watch"),
        recordEvents,
        on(groups.storage, "volumeattachments", "create delete get list watch"),
        on(groups.storage, "csidrivers", READ),
        on(groups.storage, "csinodes", READ),
      ],
    },
    {
      name: "certificate-controller",
      usesManagerUser: true,
      rules: [
        on(groups.certificates, "certificatesigningrequests", "delete get list watch"),
        on(groups.certificates, "certificatesigningrequests/approval certificatesigningrequests/status", "update"),
        on(groups.certificates, "signers", "approve", [signers.apiserverClientAgent]),
        on(groups.certificates, "signers", "sign", [
          signers.apiserverClient,
          signers.apiserverClientAgent,
          signers.agentServing,
          signers.legacyUnknown,
        ]),
        on(groups.authorization, "subjectaccessreviews", "create"),
        recordEvents,
      ],
    },
    {
      name: "clusterrole-aggregation-controller",
      usesManagerUser: true,
      rules: [on(groups.rbac, "clusterroles", "escalate get list patch update watch")],
    },
    {
      name: "cronjob-controller",
      rules: [
        on("batch", "cronjobs", "get list update watch"),
        on("batch", "jobs", "create delete get list patch update watch"),
        on("batch", "cronjobs/status", "update"),
        on("batch", "cronjobs/finalizers", "update"),
        on("", "pods", "delete list"),
        since("1.32", on("", "pods", "watch")),
        recordEvents,
      ],
    },
    {
      name: "daemon-set-controller",
      rules: [
        on(["apps", "extensions"], "daemonsets", READ),
        on(["apps", "extensions"], "daemonsets/status", "update"),
        on(["apps", "extensions"], "daemonsets/finalizers", "update"),
        on("", "nodes", "list watch"),
        on("", "pods", "create delete list patch watch"),
        on("", "pods/binding", "create"),
        on("apps", "controllerrevisions", "create delete get list patch update watch"),
        recordEvents,
      ],
    },
    {
      name: "deployment-controller",
      rules: [
        on(["apps", "extensions"], "deployments", "get list update watch"),
        on(["apps", "extensions"], "deployments/status", "update"),
        on(["apps", "extensions"], "deployments/finalizers", "update"),
        on(["apps", "extensions"], "replicasets", "create delete get list patch update watch"),
        on("", "pods", "get list update watch"),
        recordEvents,
      ],
    },
    {
      name: "disruption-controller",
      rules: [
        on(["apps", "extensions"], "deployments", READ),
        on(["apps", "extensions"], "replicasets", READ),
        on("", "replicationcontrollers", READ),
        on("policy", "poddisruptionbudgets", READ),
        on("apps", "statefulsets", READ),
        on("policy", "poddisruptionbudgets/status", "update"),
        gated("PodDisruptionConditions", since("1.26", on("", "pods/status", "patch"))),
        gated("PodDisruptionConditions", since("1.27", on("", "pods/status", "update"))),
        on("*", "*/scale", "get"),
        recordEvents,
      ],
    },
    {
      name: "endpoint-controller",
      // Earlier roles of the controller manager include endpoints, which its leader election used.
      usesManagerUser: { since: "1.28" },
      rules: [
        on("", "pods services", READ),
        on("", "endpoints", "create delete get list update"),
        on("", "endpoints/restricted", "create"),
        since("1.32", on("", "endpoints", "watch")),
        recordEvents,
      ],
    },
    {
      name: "endpointslice-controller",
      usesManagerUser: true,
      rules: [
        on("", "nodes pods services", READ),
        on("", "services/finalizers", "update"),
        on(groups.discovery, "endpointslices", "create delete get list update"),
        since("1.32", on(groups.discovery, "endpointslices", "watch")),
        recordEvents,
      ],
    },
    {
      name: "endpointslicemirroring-controller",
      usesManagerUser: true,
      rules: [
        on("", "endpoints services", READ),
        on("", "services/finalizers", "update"),
        on("", "endpoints/finalizers", "update"),
        on(groups.discovery, "endpointslices", "create delete get list update"),
        since("1.32", on(groups.discovery, "endpointslices", "watch")),
        recordEvents,
      ],
    },
    {
      name: "ephemeral-volume-controller",
      when: { since: "1.21" },
      rules: [
        on("", "pods", READ),
        on("", "pods/finalizers", "update"),
        on("", "persistentvolumeclaims", "create get list watch"),
        recordEvents,
      ],
    },
    {
      name: "expand-controller",
      rules: [
        on("", "persistentvolumes", "get list patch update watch"),
        on("", "persistentvolumeclaims/status", "patch update"),
        on("", "persistentvolumeclaims", READ),
        until(
          "1.31",
          on(groups.storage, "storageclasses", READ),
          on("", "endpoints services", "get"),
          on("", "secrets", "get"),
        ),
        { when: { since: "1.32", until: "1.35" }, rules: [on("", "services", "get")] },
        recordEvents,
      ],
    },
    {
      name: "generic-garbage-collector",
      usesManagerUser: true,
      rules: [on("*", "*", "delete get list patch update watch"), recordEvents],
    },
    {
      name: "horizontal-pod-autoscaler",
      rules: [
        on("autoscaling", "horizontalpodautoscalers", READ),
        on("autoscaling", "horizontalpodautoscalers/status", "update"),
        on("*", "*/scale", "get update"),
        on("", "pods", "list"),
        until("1.26", on("", "services/proxy", "get", ["http:heapster:", "https:heapster:"])),
        on(groups.metrics, "pods", "list"),
        on(groups.customMetrics, "*", "get list"),
        since("1.24", on(groups.externalMetrics, "*", "get list")),
        since(
          "1.32",
          on("", "pods", "watch"),
          on(groups.metrics, "pods", "watch"),
          on([groups.customMetrics, groups.externalMetrics], "*", "watch"),
        ),
        recordEvents,
      ],
    },
    {
      name: "job-controller",
      rules: [
        on("batch", "jobs", "get list update watch"),
        since("1.22", on("batch", "jobs", "patch")),
        on("batch", "jobs/status", "update"),
        on("batch", "jobs/finalizers", "update"),
        on("", "pods", "create delete list patch watch"),
        since("1.36", gated("WorkloadWithJob", on(groups.scheduling, "podgroups workloads", "create get list watch"))),
        recordEvents,
      ],
    },
    {
      name: "namespace-controller",
      usesManagerUser: true,
      rules: [
        on("", "namespaces", "delete get list watch"),
        on("", "namespaces/finalize namespaces/status", "update"),
        on("*", "*", "delete deletecollection get list"),
        since("1.32", on("*", "*", "watch")),
      ],
    },
    {
      name: "node-controller",
      rules: [
        on("", "nodes", "delete get list patch update"),
        on("", "nodes/status", "patch update"),
        on("", "pods/status", "update"),
        on("", "pods", "delete list"),
        since("1.26", on("", "pods/status", "patch")),
        gated("PodDisruptionConditions", since("1.26", on("", "pods", "get"))),
        since("1.32", on("", "nodes pods", "watch")),
        recordEvents,
      ],
    },
    {
      name: "persistent-volume-binder",
      rules: [
        on("", "persistentvolumes", "create delete get list update watch"),
        on("", "persistentvolumes/status", "update"),
        on("", "persistentvolumeclaims", "get list update watch"),
        on("", "persistentvolumeclaims/status", "update"),
        on("", "pods", "create delete get list watch"),
        on(groups.storage, "storageclasses", READ),
        until(
          "1.31",
          on("", "endpoints", "create delete get update"),
          on("", "services", "create delete get"),
          on("", "secrets", "get"),
          on("", "nodes", "get list"),
        ),
        { when: { since: "1.32", until: "1.35" }, rules: [on("", "services", "get")] },
        since("1.32", on("", "nodes", "list watch")),
        on("", "events", "watch"),
        recordEvents,
      ],
    },
    {
      name: "pod-garbage-collector",
      rules: [
        on("", "pods", "delete list watch"),
        on("", "nodes", "get list"),
        since("1.32", on("", "nodes", "watch")),
        since("1.26", on("", "pods/status", "patch")),
      ],
    },
    { name: "pv-protection-controller", rules: [on("", "persistentvolumes", "get list update watch"), recordEvents] },
    {
      name: "pvc-protection-controller",
      rules: [
        on("", "persistentvolumeclaims", "get list update watch"),
        since("1.36", on("", "persistentvolumeclaims/status", "update")),
        on("", "pods", READ),
        recordEvents,
      ],
    },
    {
      name: "replicaset-controller",
      rules: [
        on(["apps", "extensions"], "replicasets", "get list update watch"),
        on(["apps", "extensions"], "replicasets/status", "update"),
        on(["apps", "extensions"], "replicasets/finalizers", "update"),
        on("", "pods", "create delete list patch watch"),
        recordEvents,
      ],
    },
    {
      name: "replication-controller",
      rules: [
        on("", "replicationcontrollers", "get list update watch"),
        on("", "replicationcontrollers/status", "update"),
        on("", "replicationcontrollers/finalizers", "update"),
        on("", "pods", "create delete list patch watch"),
        recordEvents,
      ],
    },
    {
      name: "resourcequota-controller",
      rules: [on("*", "*", "list watch"), on("", "resourcequotas/status", "update"), recordEvents],
    },
    {
      name: "root-ca-cert-publisher",
      usesManagerUser: true,
      rules: [on("", "configmaps", "create update"), recordEvents],
    },
    { name: "route-controller", rules: [on("", "nodes", "list watch"), on("", "nodes/status", "patch"), recordEvents] },
    {
      name: "service-account-controller",
      usesManagerUser: true,
      rules: [on("", "serviceaccounts", "create"), recordEvents],
    },
    {
      name: "service-controller",
      rules: [
        on("", "services", READ),
        on("", "services/status", "patch update"),
        on("", "nodes", "list watch"),
        recordEvents,
      ],
    },
    {
      name: "statefulset-controller",
      rules: [
        on("", "pods", "list watch"),
        on("apps", "statefulsets", READ),
        on("apps", "statefulsets/status", "update"),
        on("apps", "statefulsets/finalizers", "update"),
        on("", "pods", "create delete get patch update"),
        on("apps", "controllerrevisions", "create delete get list patch update watch"),
        on("", "persistentvolumeclaims", "create get"),
        since("1.28", on("", "persistentvolumeclaims", "list watch")),
        gated(
          "StatefulSetAutoDeletePVC",
          since("1.23", on("", "persistentvolumeclaims", "update")),
          since("1.27", on("", "persistentvolumeclaims", "delete")),
          since("1.28", on("", "pods/finalizers", "update")),
        ),
        recordEvents,
      ],
    },
    {
      name: "ttl-after-finished-controller",
      when: { since: "1.21" },
      rules: [on("batch", "jobs", "delete get list watch"), recordEvents],
    },
    { name: "ttl-controller", rules: [on("", "nodes", "list patch update watch"), recordEvents] },
  ];
}
