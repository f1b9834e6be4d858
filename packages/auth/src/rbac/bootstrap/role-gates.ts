// Feature gates that bootstrap roles and the node authorizer depend on, with the first release in which each is on by default. Source: Kubernetes
// documentation, "Feature Gates"; plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go.
import { existsIn } from "@orch/schema";

const ON_SINCE = {
  APIServerIdentity: "1.26",
  AuthorizeNodeWithSelectors: "1.32",
  ClusterTrustBundle: "1.37",
  ComponentFlagz: "1.36",
  ComponentStatusz: "1.36",
  DRADeviceTaintRules: "1.37",
  DRADeviceTaints: "1.36",
  DRAExtendedResource: "1.36",
  DRAResourceClaimGranularStatusAuthorization: "1.36",
  DRAResourcePoolStatus: undefined,
  DRAWorkloadResourceClaims: undefined,
  DynamicResourceAllocation: "1.34",
  GenericWorkload: undefined,
  KubeletFineGrainedAuthz: "1.33",
  KubeletServiceAccountTokenForCredentialProviders: "1.34",
  MultiCIDRServiceAllocator: "1.33",
  PodCertificateRequest: "1.37",
  PodDisruptionConditions: "1.26",
  SELinuxChangePolicy: "1.33",
  StatefulSetAutoDeletePVC: "1.27",
  StorageVersionAPI: undefined,
  StorageVersionMigrator: "1.37",
  ValidatingAdmissionPolicy: "1.30",
  VolumeAttributesClass: "1.34",
  WorkloadWithJob: undefined,
} as const satisfies Readonly<Record<string, string | undefined>>;

export type RoleGate = keyof typeof ON_SINCE;

/** Settings of the server. A gate that they do not name has the default of the release. */
export type GateSettings = Readonly<Record<string, boolean | undefined>>;

export const ROLE_GATES = Object.keys(ON_SINCE) as readonly RoleGate[];

/** Reports whether a gate is on in a server of a release. */
export function isRoleGateOn(gate: RoleGate, release: string, settings: GateSettings): boolean {
  const since = ON_SINCE[gate];
  return settings[gate] ?? (since !== undefined && existsIn({ since }, release));
}
