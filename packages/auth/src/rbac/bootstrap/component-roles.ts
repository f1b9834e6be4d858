// Bootstrap cluster roles of the components that run the cluster: scheduler, controller manager, nodes, proxies.
// Source: plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go.
import type { Vocabulary } from "@orch/schema";
import { type ClusterRoleRow, gated, on, READ, READ_UPDATE, READ_WRITE, type RuleRow, since, until } from "./notation";

export function componentRoles(vocabulary: Vocabulary): ClusterRoleRow[] {
  const { groups, objectNames, rbacNames } = vocabulary;
  const recordEvents = on(["", groups.events], "events", "create patch update");
  return [
    { name: rbacNames.aggregator, rules: [on("", "endpoints services", READ)] },
    {
      name: rbacNames.controllerManager,
      rules: [
        recordEvents,
        on(groups.coordination, "leases", "create"),
        on(groups.coordination, "leases", "get update", [objectNames.controllerManager]),
        until(
          "1.27",
          on("", "endpoints", "create"),
          on("", "endpoints", "get update", [objectNames.controllerManager]),
        ),
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
    { name: rbacNames.scheduler, rules: schedulerRules(vocabulary) },
    {
      name: rbacNames.nodeagentApiAdmin,
      rules: [
        on("", "nodes", READ),
        on("", "nodes", "proxy"),
        until("1.26", on("", "nodes/log nodes/metrics nodes/proxy nodes/spec nodes/stats", "*")),
        since("1.27", on("", "nodes/log nodes/metrics nodes/proxy nodes/stats", "*")),
        since("1.32", gated("KubeletFineGrainedAuthz", on("", "nodes/configz nodes/healthz nodes/pods", "*"))),
      ],
    },
    { name: "system:node", rules: nodeRules(groups) },
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
        since("1.30", gated("MultiCIDRServiceAllocator", on(groups.networking, "servicecidrs", "list watch"))),
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
      name: "system:volume-scheduler",
      rules: [
        on("", "persistentvolumes", READ_UPDATE),
        on(groups.storage, "storageclasses", READ),
        on("", "persistentvolumeclaims", READ_UPDATE),
      ],
    },
  ];
}

function schedulerRules({ groups, objectNames }: Vocabulary): RuleRow[] {
  const { resource, scheduling } = groups;
  return [
    on(["", groups.events], "events", "create patch update"),
    on(groups.coordination, "leases", "create"),
    until("1.30", on(groups.coordination, "leases", "get update", [objectNames.scheduler])),
    since(
      "1.31",
      on(groups.coordination, "leases", "get list update watch", [objectNames.scheduler]),
      on(groups.coordination, "leasecandidates", READ_WRITE),
    ),
    until("1.27", on("", "endpoints", "create"), on("", "endpoints", "get update", [objectNames.scheduler])),
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
    since("1.29", on(groups.storage, "volumeattachments", READ)),
    since("1.21", on("", "namespaces", READ)),
    since("1.21", on(groups.storage, "csidrivers", READ), on(groups.storage, "csistoragecapacities", READ)),
    gated(
      "DynamicResourceAllocation",
      {
        when: { since: "1.26", until: "1.29" },
        rules: [on(resource, "resourceclaims resourceclasses", READ)],
      },
      since("1.26", on(resource, "resourceclaims/status", READ_UPDATE)),
      {
        when: { since: "1.27", until: "1.31" },
        rules: [on(resource, "podschedulingcontexts", READ_WRITE), on(resource, "podschedulingcontexts/status", READ)],
      },
      { when: { since: "1.29", until: "1.33" }, rules: [on("", "pods/finalizers", READ_UPDATE)] },
      since("1.34", on("", "pods/finalizers", "update")),
      {
        when: { since: "1.30", until: "1.30" },
        rules: [on(resource, "resourceclaimparameters resourceclasses resourceclassparameters", READ)],
      },
      since("1.30", on(resource, "resourceclaims", READ_UPDATE), on(resource, "resourceslices", READ)),
      since("1.31", on(resource, "deviceclasses", READ)),
      since("1.34", gated("DRAExtendedResource", on(resource, "resourceclaims", "create delete"))),
      {
        when: { since: "1.33", until: "1.34", gates: ["DRADeviceTaints"] },
        rules: [on(resource, "devicetaintrules", READ)],
      },
      since("1.35", gated("DRADeviceTaintRules", on(resource, "devicetaintrules", READ))),
      since(
        "1.36",
        gated("DRAResourceClaimGranularStatusAuthorization", on(resource, "resourceclaims/binding", "patch update")),
      ),
    ),
    gated(
      "GenericWorkload",
      { when: { since: "1.35", until: "1.35" }, rules: [on(scheduling, "workloads", READ)] },
      since("1.36", on(scheduling, "podgroups", READ), on(scheduling, "podgroups/status", "patch update")),
    ),
  ];
}

function nodeRules(groups: Vocabulary["groups"]): RuleRow[] {
  return [
    on(groups.authentication, "tokenreviews", "create"),
    on(groups.authorization, "localsubjectaccessreviews subjectaccessreviews", "create"),
    on("", "services", READ),
    on("", "nodes", "create get list watch"),
    on("", "nodes/status", "patch update"),
    on("", "nodes", "patch update"),
    until("1.34", on("", "events", "create patch update")),
    since("1.35", on(["", groups.events], "events", "create patch update")),
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
    gated(
      "DynamicResourceAllocation",
      since("1.26", on(groups.resource, "resourceclaims", "get")),
      since("1.31", on(groups.resource, "resourceslices", "deletecollection")),
    ),
    since("1.27", gated("ClusterTrustBundle", on(groups.certificates, "clustertrustbundles", READ))),
    since("1.33", gated("KubeletServiceAccountTokenForCredentialProviders", on("", "serviceaccounts", "get"))),
    since(
      "1.34",
      gated("PodCertificateRequest", on(groups.certificates, "podcertificaterequests", "create get list watch")),
    ),
  ];
}
