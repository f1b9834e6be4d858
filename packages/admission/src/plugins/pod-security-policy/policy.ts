// A compiled policy. Invalid policies are ignored.
import type { coreV1, JsonObject, policyV1beta1, Vocabulary } from "@orch/schema";
import { CapabilitiesStrategy } from "./capabilities";
import { type GroupStrategy, groupStrategy, type UserStrategy, userStrategy } from "./id-strategy";
import { AppArmorStrategy, SeccompStrategy } from "./profiles";
import { type SELinuxStrategy, seLinuxStrategy } from "./se-linux";
import { SysctlStrategy } from "./sysctls";
import { VolumeStrategy } from "./volumes";

export interface Policy {
  readonly name: string;
  readonly spec: policyV1beta1.PodSecurityPolicySpec;
  readonly runAsUser: UserStrategy;
  readonly runAsGroup: GroupStrategy;
  readonly fsGroup: GroupStrategy;
  readonly supplementalGroups: GroupStrategy;
  readonly seLinux: SELinuxStrategy;
  readonly capabilities: CapabilitiesStrategy;
  readonly seccomp: SeccompStrategy;
  readonly appArmor: AppArmorStrategy;
  readonly sysctls: SysctlStrategy;
  readonly volumes: VolumeStrategy;
}

export interface PolicyDependencies {
  readonly vocabulary: Vocabulary;
  /** Emulated release. */
  readonly release: string;
}

/** Compiled policies, cached by object. */
export class Policies {
  private readonly made = new WeakMap<JsonObject, Policy | "none">();

  constructor(private readonly dependencies: PolicyDependencies) {}

  /** Returns the compiled policies in the given order, without invalid ones. */
  of(objects: readonly JsonObject[]): readonly Policy[] {
    return objects.flatMap((object) => {
      let policy = this.made.get(object);
      if (policy === undefined) {
        policy = policyOf(object as unknown as policyV1beta1.PodSecurityPolicy, this.dependencies) ?? "none";
        this.made.set(object, policy);
      }
      return policy === "none" ? [] : [policy];
    });
  }
}

function policyOf(
  { metadata, spec }: policyV1beta1.PodSecurityPolicy,
  { vocabulary, release }: PolicyDependencies,
): Policy | undefined {
  if (spec === undefined) return undefined;
  const annotations = metadata?.annotations ?? {};
  const keys = vocabulary.annotations;
  const [runAsUser, seLinux] = [userStrategy(spec.runAsUser), seLinuxStrategy(spec.seLinux)];
  const [runAsGroup, fsGroup, supplementalGroups] = [spec.runAsGroup, spec.fsGroup, spec.supplementalGroups].map(
    (options) => groupStrategy(options),
  );
  if (!runAsUser || !seLinux || !runAsGroup || !fsGroup || !supplementalGroups) return undefined;
  return {
    name: metadata?.name ?? "",
    spec,
    ...{ runAsUser, seLinux, runAsGroup, fsGroup, supplementalGroups },
    capabilities: new CapabilitiesStrategy(spec),
    seccomp: new SeccompStrategy(annotations, keys),
    appArmor: new AppArmorStrategy(annotations, keys),
    sysctls: new SysctlStrategy(spec, release),
    volumes: new VolumeStrategy(spec, { rootCertificates: vocabulary.objectNames.rootCaCrt }),
  };
}

/** Returns the effective settings of a container: its own, else those of its pod. */
export function effective(
  pod: coreV1.PodSecurityContext | undefined,
  own: coreV1.SecurityContext | undefined,
): Pick<coreV1.SecurityContext, "runAsUser" | "runAsGroup" | "runAsNonRoot" | "seLinuxOptions"> {
  const user = own?.runAsUser ?? pod?.runAsUser;
  const group = own?.runAsGroup ?? pod?.runAsGroup;
  const nonRoot = own?.runAsNonRoot ?? pod?.runAsNonRoot;
  const seLinux = own?.seLinuxOptions ?? pod?.seLinuxOptions;
  return {
    ...(user !== undefined && { runAsUser: user }),
    ...(group !== undefined && { runAsGroup: group }),
    ...(nonRoot !== undefined && { runAsNonRoot: nonRoot }),
    ...(seLinux !== undefined && { seLinuxOptions: seLinux }),
  };
}
