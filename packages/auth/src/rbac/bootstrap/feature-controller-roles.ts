// Roles of the controllers that came with a release or with a feature gate.
// Source: plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
import type { Vocabulary } from "@orch/schema";
import { type ControllerRoleRow, gated, on, READ, since } from "./notation";

export function featureControllerRoles(vocabulary: Vocabulary): ControllerRoleRow[] {
  return [
    ...deviceRoles(vocabulary),
    ...certificateRoles(vocabulary),
    ...storageRoles(vocabulary),
    ...otherRoles(vocabulary),
  ];
}

/** Returns the roles for dynamic resource allocation. */
function deviceRoles({ groups }: Vocabulary): ControllerRoleRow[] {
  const { resource, scheduling } = groups;
  const recordEvents = on(["", groups.events], "events", "create patch update");
  return [
    {
      name: "resource-claim-controller",
      usesManagerUser: true,
      when: { since: "1.26", gates: ["DynamicResourceAllocation"] },
      rules: [
        on("", "pods", READ),
        on("", "pods/finalizers", "update"),
        on(resource, "resourceclaims", "create get list watch"),
        on(resource, "resourceclaims/status", "patch update"),
        since("1.28", on(resource, "resourceclaims", "delete"), on("", "pods/status", "patch update")),
        {
          when: { since: "1.28", until: "1.31" },
          rules: [on(resource, "podschedulingcontexts", "create get list patch update watch")],
        },
        since("1.30", on(resource, "resourceclaims", "patch update")),
        since(
          "1.36",
          gated(
            "DRAWorkloadResourceClaims",
            on(scheduling, "podgroups", READ),
            on(scheduling, "podgroups/status", "patch update"),
          ),
          gated("DRAResourceClaimGranularStatusAuthorization", on(resource, "resourceclaims/binding", "patch update")),
        ),
        recordEvents,
      ],
    },
    {
      name: "device-taint-eviction-controller",
      usesManagerUser: true,
      when: { since: "1.33", gates: ["DynamicResourceAllocation", "DRADeviceTaints"] },
      rules: [
        on("", "pods", "delete get list watch"),
        on("", "pods/status", "patch update"),
        on(resource, "deviceclasses resourceclaims resourceslices", READ),
        { when: { until: "1.34" }, rules: [on(resource, "devicetaintrules", READ)] },
        since(
          "1.35",
          gated(
            "DRADeviceTaintRules",
            on(resource, "devicetaintrules", READ),
            on(resource, "devicetaintrules/status", "patch update"),
          ),
        ),
        recordEvents,
      ],
    },
    {
      name: "resourcepoolstatusrequest-controller",
      usesManagerUser: true,
      when: { since: "1.36", gates: ["DynamicResourceAllocation", "DRAResourcePoolStatus"] },
      rules: [
        on(resource, "resourcepoolstatusrequests", "delete get list watch"),
        on(resource, "resourcepoolstatusrequests/status", "patch update"),
        on(resource, "resourceclaims resourceslices", READ),
        recordEvents,
      ],
    },
  ];
}

function certificateRoles({ groups, rbacNames, signers }: Vocabulary): ControllerRoleRow[] {
  return [
    {
      name: "podcertificaterequestcleaner",
      usesManagerUser: true,
      when: { since: "1.34", gates: ["PodCertificateRequest"] },
      rules: [on(groups.certificates, "podcertificaterequests", "delete get list watch")],
    },
    {
      name: rbacNames.servingTrustBundlePublisher,
      usesManagerUser: true,
      when: { since: "1.32", gates: ["ClusterTrustBundle"] },
      rules: [
        on(groups.certificates, "signers", "attest", [signers.apiserverServing]),
        on(groups.certificates, "clustertrustbundles", "create delete list update watch"),
        on(["", groups.events], "events", "create patch update"),
      ],
    },
  ];
}

function storageRoles({ groups }: Vocabulary): ControllerRoleRow[] {
  const recordEvents = on(["", groups.events], "events", "create patch update");
  return [
    {
      name: "volumeattributesclass-protection-controller",
      usesManagerUser: true,
      when: { since: "1.32", gates: ["VolumeAttributesClass"] },
      rules: [
        on("", "persistentvolumeclaims persistentvolumes", READ),
        on(groups.storage, "volumeattributesclasses", "get list update watch"),
        recordEvents,
      ],
    },
    {
      name: "selinux-warning-controller",
      when: { since: "1.32", gates: ["SELinuxChangePolicy"] },
      rules: [
        recordEvents,
        on("", "persistentvolumeclaims persistentvolumes pods", READ),
        on(groups.storage, "csidrivers", READ),
        since("1.36", on("", "configmaps", "create"), on("", "configmaps", "patch", ["selinux-conflicts"])),
      ],
    },
    {
      name: "storage-version-garbage-collector",
      when: { since: "1.21", gates: ["StorageVersionAPI", "APIServerIdentity"] },
      rules: [
        on(groups.coordination, "leases", READ),
        on(groups.internal, "storageversions", "delete get list patch update watch"),
        on(groups.internal, "storageversions/status", "get patch update"),
      ],
    },
    {
      name: "storage-version-migrator-controller",
      usesManagerUser: true,
      when: { since: "1.30", gates: ["StorageVersionMigrator"] },
      rules: [
        on("*", "*", "list patch"),
        since("1.31", on("*", "*", "create")),
        { when: { since: "1.32", until: "1.34" }, rules: [on("*", "*", "watch")] },
        since(
          "1.36",
          on(groups.apiextensions, "customresourcedefinitions", "get"),
          on(groups.apiextensions, "customresourcedefinitions/status", "patch"),
        ),
        on(groups.storagemigration, "storageversionmigrations/status", "update"),
      ],
    },
  ];
}

function otherRoles({ groups, objectNames }: Vocabulary): ControllerRoleRow[] {
  const recordEvents = on(["", groups.events], "events", "create patch update");
  return [
    {
      name: "legacy-service-account-token-cleaner",
      usesManagerUser: true,
      when: { since: "1.26" },
      rules: [
        on("", "configmaps", "get", [objectNames.apiserverLegacyServiceAccountTokenTracking]),
        on("", "secrets", "delete list patch"),
        on("", "serviceaccounts", "get"),
        on("", "pods", "list"),
      ],
    },
    {
      name: "podgroup-protection-controller",
      when: { since: "1.36", gates: ["GenericWorkload"] },
      rules: [on(groups.scheduling, "podgroups", "get list update watch"), on("", "pods", READ)],
    },
    {
      name: "service-cidrs-controller",
      usesManagerUser: true,
      when: { since: "1.29", gates: ["MultiCIDRServiceAllocator"] },
      rules: [
        on(groups.networking, "servicecidrs", "get list patch update watch"),
        on(groups.networking, "servicecidrs/finalizers", "patch update"),
        on(groups.networking, "servicecidrs/status", "patch update"),
        on(groups.networking, "ipaddresses", READ),
        recordEvents,
      ],
    },
    {
      name: "validatingadmissionpolicy-status-controller",
      when: { since: "1.28", gates: ["ValidatingAdmissionPolicy"] },
      rules: [
        on(groups.admissionregistration, "validatingadmissionpolicies", READ),
        on(groups.admissionregistration, "validatingadmissionpolicies/status", "get patch update"),
        recordEvents,
      ],
    },
  ];
}
