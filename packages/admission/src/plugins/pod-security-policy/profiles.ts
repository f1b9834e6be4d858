// Seccomp and AppArmor profiles, by annotations of the policy and of the pod. Source:
// pkg/security/podsecuritypolicy/seccomp/strategy.go, pkg/security/podsecuritypolicy/apparmor/strategy.go.
import { fieldPath } from "@orch/machinery";
import type { coreV1, Vocabulary } from "@orch/schema";
import type { Findings } from "./findings";

type Annotations = Readonly<Record<string, string>>;
type Keys = Vocabulary["annotations"];

const ANY = "*";
const DEFAULT = "runtime/default";
/** Former name of the default profile. */
const FORMER_DEFAULT = "docker/default";
const AT = "pod.metadata.annotations";

const canonical = (profile: string): string => (profile === FORMER_DEFAULT ? DEFAULT : profile);

export class SeccompStrategy {
  private readonly profiles: readonly string[];
  private readonly allowed: ReadonlySet<string>;
  private readonly given: string;

  constructor(
    annotations: Annotations,
    private readonly keys: Keys,
  ) {
    const stated = annotations[keys.seccompSecurityAlphaAllowedProfileNames];
    this.profiles = stated === undefined ? [] : stated.split(",");
    this.allowed = new Set(this.profiles.map(canonical));
    this.given = annotations[keys.seccompSecurityAlphaDefaultProfileName] ?? "";
  }

  /** Returns the annotation value for a pod without a profile. */
  annotationFor(annotations: Annotations, security: coreV1.PodSecurityContext | undefined): string | undefined {
    if (annotations[this.keys.seccompSecurityAlphaPod] || security?.seccompProfile !== undefined) return undefined;
    return this.given === "" ? undefined : this.given;
  }

  checkPod({ metadata, spec }: coreV1.Pod, findings: Findings): void {
    const key = this.keys.seccompSecurityAlphaPod;
    const profile = metadata?.annotations?.[key] || profileText(spec?.securityContext?.seccompProfile);
    this.check(profile, key, findings);
  }

  checkContainer({ metadata, spec }: coreV1.Pod, container: coreV1.Container, findings: Findings): void {
    const key = `${this.keys.containerSeccompSecurityAlpha}${container.name}`;
    const annotations = metadata?.annotations ?? {};
    const profile =
      annotations[key] ||
      profileText(container.securityContext?.seccompProfile) ||
      profileText(spec?.securityContext?.seccompProfile) ||
      (annotations[this.keys.seccompSecurityAlphaPod] ?? "");
    this.check(profile, key, findings);
  }

  private check(profile: string, key: string, findings: Findings): void {
    if (this.allowed.has(ANY)) return;
    if (this.profiles.length === 0) {
      if (profile !== "") findings.forbidden(fieldPath.key(AT, key), "seccomp may not be set");
      return;
    }
    if (this.allowed.has(canonical(profile))) return;
    const detail = `${profile} is not an allowed seccomp profile. Valid values are ${this.profiles.join(",")}`;
    findings.forbidden(fieldPath.key(AT, key), detail);
  }
}

/** Returns a profile field in the form of the annotation; "" when there is none. */
function profileText(profile: coreV1.SeccompProfile | undefined): string {
  switch (profile?.type) {
    case "Unconfined":
      return "unconfined";
    case "RuntimeDefault":
      return DEFAULT;
    case "Localhost":
      return `localhost/${profile.localhostProfile ?? ""}`;
    default:
      return "";
  }
}

export class AppArmorStrategy {
  private readonly allowed: readonly string[] | undefined;
  private readonly given: string | undefined;

  constructor(
    annotations: Annotations,
    private readonly keys: Keys,
  ) {
    this.allowed = annotations[keys.apparmorSecurityBetaAllowedProfileNames]?.split(",");
    this.given = annotations[keys.apparmorSecurityBetaDefaultProfileName];
  }

  /** Returns the annotation for a container without a profile. */
  annotationFor(annotations: Annotations, container: string): readonly [key: string, profile: string] | undefined {
    const key = `${this.keys.containerApparmorSecurityBeta}${container}`;
    return this.given && !annotations[key] ? [key, this.given] : undefined;
  }

  check({ metadata }: coreV1.Pod, container: string, findings: Findings): void {
    if (this.allowed === undefined) return;
    const key = `${this.keys.containerApparmorSecurityBeta}${container}`;
    const profile = metadata?.annotations?.[key] ?? "";
    if (profile === "") findings.forbidden(fieldPath.key(AT, key), "AppArmor profile must be set");
    else if (!this.allowed.includes(profile)) {
      const allowed = JSON.stringify(this.allowed.join(","));
      findings.forbidden(fieldPath.key(AT, key), `${profile} is not an allowed profile. Allowed values: ${allowed}`);
    }
  }
}
