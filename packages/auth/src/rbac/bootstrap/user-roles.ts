// Bootstrap cluster roles for users of namespaces: admin, edit and view, and the roles that these aggregate.
// Source: plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go, viewRules and editRules.
import type { Vocabulary } from "@orch/schema";
import { type ClusterRoleRow, gated, on, READ, READ_WRITE, type RuleRow, since, until, WRITE } from "./notation";

export function userRoles({ groups, labels }: Vocabulary): ClusterRoleRow[] {
  return [
    { name: "admin", aggregates: labels.rbacAuthorizationAggregateToAdmin, rules: [] },
    {
      name: "edit",
      aggregatedInto: labels.rbacAuthorizationAggregateToAdmin,
      aggregates: labels.rbacAuthorizationAggregateToEdit,
      rules: [],
    },
    {
      name: "view",
      aggregatedInto: labels.rbacAuthorizationAggregateToEdit,
      aggregates: labels.rbacAuthorizationAggregateToView,
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
      rules: editRules(groups),
    },
    {
      name: "system:aggregate-to-view",
      aggregatedInto: labels.rbacAuthorizationAggregateToView,
      rules: viewRules(groups),
    },
  ];
}

function editRules(groups: Vocabulary["groups"]): RuleRow[] {
  return [
    on("", "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy", READ),
    on("", "serviceaccounts", "impersonate"),
    on("", "pods pods/attach pods/exec pods/portforward pods/proxy", WRITE),
    since("1.24", on("", "pods/eviction", "create")),
    // Write access to endpoints lets a user route the traffic of a service to pods of other namespaces.
    until("1.21", on("", `configmaps endpoints ${EDITED}`, WRITE)),
    { when: { since: "1.22", until: "1.34" }, rules: [on("", `configmaps events ${EDITED}`, WRITE)] },
    since("1.35", on("", `configmaps ${EDITED}`, WRITE)),
    since("1.24", on("", "serviceaccounts/token", "create")),
    since("1.35", on(["", groups.events], "events", WRITE)),
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
    since("1.25", on(groups.coordination, "leases", READ_WRITE)),
    since(
      "1.33",
      gated("DynamicResourceAllocation", on(groups.resource, "resourceclaims resourceclaimtemplates", WRITE)),
    ),
    since("1.36", gated("GenericWorkload", on(groups.scheduling, "podgroups workloads", WRITE))),
  ];
}

const EDITED =
  "persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy";

function viewRules(groups: Vocabulary["groups"]): RuleRow[] {
  return [
    on(
      "",
      "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status",
      READ,
    ),
    until("1.34", on("", `bindings events ${VIEWED}`, READ)),
    since("1.35", on("", `bindings ${VIEWED}`, READ)),
    on("", "namespaces", READ),
    since("1.35", on(["", groups.events], "events", READ)),
    since("1.22", on(groups.discovery, "endpointslices", READ)),
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
    since(
      "1.33",
      gated(
        "DynamicResourceAllocation",
        on(groups.resource, "resourceclaims resourceclaims/status resourceclaimtemplates", READ),
      ),
    ),
    since("1.36", gated("GenericWorkload", on(groups.scheduling, "podgroups podgroups/status workloads", READ))),
  ];
}

const VIEWED =
  "limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status";
