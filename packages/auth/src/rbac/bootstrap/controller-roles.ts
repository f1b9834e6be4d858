// Roles of the controllers that run under service accounts of their own.
// Source: plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
import { existsIn, type Vocabulary } from "@orch/schema";
import { type ClusterRoleRow, on, READ } from "./notation";

export interface ControllerRoleRow extends ClusterRoleRow {
  /** A controller that the controller manager runs under its own user, without a service account for each. */
  readonly usesManagerUser?: true;
}

/** Release since which finished jobs are removed after their TTL. */
const JOBS_EXPIRE = { since: "1.21" };
/** Release since which pods that are garbage-collected are marked as failed. */
const LOST_PODS_FAIL = { since: "1.26" };
/** Release since which the use of tokens in Secrets is tracked. */
const TOKENS_FOLLOWED = { since: "1.26" };

/**
 * Returns the roles by controller. The role is `system:controller:<name>` and is bound to the service account of that
 * name.
 */
export function controllerRoles({ groups, signers, objectNames }: Vocabulary, release: string): ControllerRoleRow[] {
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
        on("*", "*/scale", "get"),
        recordEvents,
      ],
    },
    {
      name: "endpoint-controller",
      rules: [
        on("", "pods services", READ),
        on("", "endpoints", "create delete get list update"),
        on("", "endpoints/restricted", "create"),
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
        recordEvents,
      ],
    },
    {
      name: "expand-controller",
      rules: [
        on("", "persistentvolumes", "get list patch update watch"),
        on("", "persistentvolumeclaims/status", "patch update"),
        on("", "persistentvolumeclaims", READ),
        on(groups.storage, "storageclasses", READ),
        on("", "endpoints services", "get"),
        on("", "secrets", "get"),
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
        on("", "services/proxy", "get", ["http:heapster:", "https:heapster:"]),
        on(groups.metrics, "pods", "list"),
        on(groups.customMetrics, "*", "get list"),
        recordEvents,
      ],
    },
    {
      name: "job-controller",
      rules: [
        on("batch", "jobs", "get list update watch"),
        on("batch", "jobs/status", "update"),
        on("batch", "jobs/finalizers", "update"),
        on("", "pods", "create delete list patch watch"),
        recordEvents,
      ],
    },
    ...(existsIn(TOKENS_FOLLOWED, release)
      ? [
          {
            name: "legacy-service-account-token-cleaner",
            usesManagerUser: true as const,
            rules: [
              on("", "configmaps", "get", [objectNames.apiserverLegacyServiceAccountTokenTracking]),
              on("", "secrets", "delete list patch"),
              on("", "serviceaccounts", "get"),
              on("", "pods", "list"),
            ],
          },
        ]
      : []),
    {
      name: "namespace-controller",
      usesManagerUser: true,
      rules: [
        on("", "namespaces", "delete get list watch"),
        on("", "namespaces/finalize namespaces/status", "update"),
        on("*", "*", "delete deletecollection get list"),
      ],
    },
    {
      name: "node-controller",
      rules: [
        on("", "nodes", "delete get list patch update"),
        on("", "nodes/status", "patch update"),
        on("", "pods/status", "update"),
        on("", "pods", "delete list"),
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
        on("", "endpoints", "create delete get update"),
        on("", "services", "create delete get"),
        on("", "secrets", "get"),
        on("", "nodes", "get list"),
        on("", "events", "watch"),
        recordEvents,
      ],
    },
    {
      name: "pod-garbage-collector",
      rules: [
        on("", "pods", "delete list watch"),
        on("", "nodes", "get list"),
        ...(existsIn(LOST_PODS_FAIL, release) ? [on("", "pods/status", "patch")] : []),
      ],
    },
    { name: "pv-protection-controller", rules: [on("", "persistentvolumes", "get list update watch"), recordEvents] },
    {
      name: "pvc-protection-controller",
      rules: [on("", "persistentvolumeclaims", "get list update watch"), on("", "pods", READ), recordEvents],
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
        recordEvents,
      ],
    },
    ...(existsIn(JOBS_EXPIRE, release)
      ? [
          {
            name: "ttl-after-finished-controller",
            rules: [on("batch", "jobs", "delete get list watch"), recordEvents],
          },
        ]
      : []),
    { name: "ttl-controller", rules: [on("", "nodes", "list patch update watch"), recordEvents] },
  ];
}
