// Bootstrap cluster roles: for users, for the components of the control plane, for nodes.
// Source: plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go.
import type { Vocabulary } from "@orch/schema";
import { type ClusterRoleRow, on, onPaths, READ, READ_WRITE, WRITE } from "./notation";

/**
 * Returns the cluster roles. A role with `aggregates` gets the rules of all roles whose `aggregatedInto` is the same
 * label.
 */
export function clusterRoles({ groups, labels, objectNames, rbacNames, signers }: Vocabulary): ClusterRoleRow[] {
  const recordEvents = on(["", groups.events], "events", "create patch update");
  return [
    { name: "admin", aggregates: labels.rbacAuthorizationAggregateToAdmin, rules: [] },
    { name: "cluster-admin", rules: [on("*", "*", "*"), onPaths("*", "*")] },
    {
      name: "edit",
      aggregatedInto: labels.rbacAuthorizationAggregateToAdmin,
      aggregates: labels.rbacAuthorizationAggregateToEdit,
      rules: [],
    },
    {
      name: "system:aggregate-to-admin",
      aggregatedInto: labels.rbacAuthorizationAggregateToAdmin,
      rules: [
        on(groups.authorization, "localsubjectaccessreviews", "create"),
        on(groups.rbac, "rolebindings roles", READ_WRITE),
      ],
    },
    {
      name: "system:aggregate-to-edit",
      aggregatedInto: labels.rbacAuthorizationAggregateToEdit,
      rules: [
        on("", "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy", READ),
        on("", "serviceaccounts", "impersonate"),
        on("", "pods pods/attach pods/exec pods/portforward pods/proxy", WRITE),
        on(
          "",
          "configmaps endpoints persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy",
          WRITE,
        ),
        on(
          "apps",
          "daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale",
          WRITE,
        ),
        on("autoscaling", "horizontalpodautoscalers", WRITE),
        on("batch", "cronjobs jobs", WRITE),
        on(
          "extensions",
          "daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale",
          WRITE,
        ),
        on("policy", "poddisruptionbudgets", WRITE),
        on(groups.networking, "ingresses networkpolicies", WRITE),
      ],
    },
    {
      name: "system:aggregate-to-view",
      aggregatedInto: labels.rbacAuthorizationAggregateToView,
      rules: [
        on(
          "",
          "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status",
          READ,
        ),
        on(
          "",
          "bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status",
          READ,
        ),
        on("", "namespaces", READ),
        on(
          "apps",
          "controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status",
          READ,
        ),
        on("autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status", READ),
        on("batch", "cronjobs cronjobs/status jobs jobs/status", READ),
        on(
          "extensions",
          "daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale",
          READ,
        ),
        on("policy", "poddisruptionbudgets poddisruptionbudgets/status", READ),
        on(groups.networking, "ingresses ingresses/status networkpolicies", READ),
      ],
    },
    {
      name: "system:auth-delegator",
      rules: [
        on(groups.authentication, "tokenreviews", "create"),
        on(groups.authorization, "subjectaccessreviews", "create"),
      ],
    },
    {
      name: "system:basic-user",
      rules: [
        on(groups.authorization, "selfsubjectaccessreviews selfsubjectrulesreviews", "create"),
        on(groups.authentication, "selfsubjectreviews", "create"),
      ],
    },
    {
      name: rbacNames.certificatesCertificatesigningrequestsNodeclient,
      rules: [on(groups.certificates, "certificatesigningrequests/nodeclient", "create")],
    },
    {
      name: rbacNames.certificatesCertificatesigningrequestsSelfnodeclient,
      rules: [on(groups.certificates, "certificatesigningrequests/selfnodeclient", "create")],
    },
    {
      name: rbacNames.certificatesApiserverClientApprover,
      rules: [on(groups.certificates, "signers", "approve", [signers.apiserverClient])],
    },
    {
      name: rbacNames.certificatesApiserverClientAgentApprover,
      rules: [on(groups.certificates, "signers", "approve", [signers.apiserverClientAgent])],
    },
    {
      name: rbacNames.certificatesAgentServingApprover,
      rules: [on(groups.certificates, "signers", "approve", [signers.agentServing])],
    },
    {
      name: rbacNames.certificatesLegacyUnknownApprover,
      rules: [on(groups.certificates, "signers", "approve", [signers.legacyUnknown])],
    },
    {
      name: "system:discovery",
      rules: [
        onPaths("/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/", "get"),
      ],
    },
    {
      name: "system:heapster",
      rules: [on("", "events namespaces nodes pods", READ), on("extensions", "deployments", READ)],
    },
    { name: rbacNames.aggregator, rules: [on("", "endpoints services", READ)] },
    {
      name: rbacNames.controllerManager,
      rules: [
        recordEvents,
        on(groups.coordination, "leases", "create"),
        on(groups.coordination, "leases", "get update", [objectNames.controllerManager]),
        on("", "endpoints", "create"),
        on("", "endpoints", "get update", [objectNames.controllerManager]),
        on("", "secrets serviceaccounts", "create"),
        on("", "secrets", "delete"),
        on("", "configmaps namespaces secrets serviceaccounts", "get"),
        on("", "secrets serviceaccounts", "update"),
        on(groups.authentication, "tokenreviews", "create"),
        on(groups.authorization, "subjectaccessreviews", "create"),
        on("*", "*", "list watch"),
        on("", "serviceaccounts/token", "create"),
      ],
    },
    { name: rbacNames.dns, rules: [on("", "endpoints services", "list watch")] },
    {
      name: rbacNames.scheduler,
      rules: [
        recordEvents,
        on(groups.coordination, "leases", "create"),
        on(groups.coordination, "leases", "get update", [objectNames.scheduler]),
        on("", "endpoints", "create"),
        on("", "endpoints", "get update", [objectNames.scheduler]),
        on("", "nodes", READ),
        on("", "pods", "delete get list watch"),
        on("", "bindings pods/binding", "create"),
        on("", "pods/status", "patch update"),
        on("", "replicationcontrollers services", READ),
        on(["apps", "extensions"], "replicasets", READ),
        on("apps", "statefulsets", READ),
        on("policy", "poddisruptionbudgets", READ),
        on("", "persistentvolumeclaims persistentvolumes", READ),
        on(groups.authentication, "tokenreviews", "create"),
        on(groups.authorization, "subjectaccessreviews", "create"),
        on(groups.storage, "csinodes", READ),
      ],
    },
    {
      name: rbacNames.nodeagentApiAdmin,
      rules: [
        on("", "nodes", READ),
        on("", "nodes", "proxy"),
        on("", "nodes/log nodes/metrics nodes/proxy nodes/spec nodes/stats", "*"),
      ],
    },
    {
      name: "system:monitoring",
      rules: [onPaths("/healthz /healthz/* /livez /livez/* /metrics /readyz /readyz/*", "get")],
    },
    {
      name: "system:node",
      rules: [
        on(groups.authentication, "tokenreviews", "create"),
        on(groups.authorization, "localsubjectaccessreviews subjectaccessreviews", "create"),
        on("", "services", READ),
        on("", "nodes", "create get list watch"),
        on("", "nodes/status", "patch update"),
        on("", "nodes", "patch update"),
        on("", "events", "create patch update"),
        on("", "pods", READ),
        on("", "pods", "create delete"),
        on("", "pods/status", "patch update"),
        on("", "pods/eviction", "create"),
        on("", "configmaps secrets", READ),
        on("", "persistentvolumeclaims persistentvolumes", "get"),
        on("", "endpoints", "get"),
        on(groups.certificates, "certificatesigningrequests", "create get list watch"),
        on(groups.coordination, "leases", "create delete get patch update"),
        on(groups.storage, "volumeattachments", "get"),
        on("", "serviceaccounts/token", "create"),
        on("", "persistentvolumeclaims/status", "get patch update"),
        on(groups.storage, "csidrivers", READ),
        on(groups.storage, "csinodes", "create delete get patch update"),
        on(groups.node, "runtimeclasses", READ),
      ],
    },
    {
      name: "system:node-bootstrapper",
      rules: [on(groups.certificates, "certificatesigningrequests", "create get list watch")],
    },
    {
      name: "system:node-problem-detector",
      rules: [on("", "nodes", "get"), on("", "nodes/status", "patch"), recordEvents],
    },
    {
      name: "system:node-proxier",
      rules: [
        on("", "endpoints services", "list watch"),
        on("", "nodes", READ),
        recordEvents,
        on(groups.discovery, "endpointslices", "list watch"),
      ],
    },
    {
      name: "system:persistent-volume-provisioner",
      rules: [
        on("", "persistentvolumes", "create delete get list watch"),
        on("", "persistentvolumeclaims", "get list update watch"),
        on(groups.storage, "storageclasses", READ),
        on("", "events", "watch"),
        recordEvents,
      ],
    },
    {
      name: "system:public-info-viewer",
      // The documentation page contains no cluster data: its API requests use the visitor's own credentials. Individual
      // health checks name the failing component to monitoring; the reason is shown only to authenticated users.
      rules: [onPaths("/docs /docs/* /healthz /healthz/* /livez /livez/* /readyz /readyz/* /version /version/", "get")],
    },
    {
      name: "system:service-account-issuer-discovery",
      rules: [onPaths("/.well-known/openid-configuration /openid/v1/jwks", "get")],
    },
    {
      name: "system:volume-scheduler",
      rules: [
        on("", "persistentvolumes", "get list patch update watch"),
        on(groups.storage, "storageclasses", READ),
        on("", "persistentvolumeclaims", "get list patch update watch"),
      ],
    },
    {
      name: "view",
      aggregatedInto: labels.rbacAuthorizationAggregateToEdit,
      aggregates: labels.rbacAuthorizationAggregateToView,
      rules: [],
    },
  ];
}
