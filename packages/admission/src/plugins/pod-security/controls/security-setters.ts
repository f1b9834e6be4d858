// Controls of fields that exist in the security context of both pods and containers.
import type { coreV1 } from "@orch/schema";
import type { CheckedContainer, CheckedPod } from "./checked-pod";
import type { Check } from "./control";
import { containersText, settersText, Values } from "./wording";

/** Fields of both security contexts. */
export type CommonSecurity = Pick<
  coreV1.SecurityContext & coreV1.PodSecurityContext,
  "seLinuxOptions" | "seccompProfile" | "appArmorProfile" | "windowsOptions" | "runAsNonRoot" | "runAsUser"
>;

export interface Setters {
  readonly pod: boolean;
  /** Names of containers. */
  readonly containers: readonly string[];
}

/** Returns whether pod and containers match. @returns undefined when none does */
export function settersOf(pod: CheckedPod, does: (security: CommonSecurity) => boolean): Setters | undefined {
  const containers = namesOf(pod, ({ security }) => does(security));
  const podDoes = does(pod.security);
  return podDoes || containers.length > 0 ? { pod: podDoes, containers } : undefined;
}

export function namesOf({ containers }: CheckedPod, does: (container: CheckedContainer) => boolean): readonly string[] {
  const names: string[] = [];
  for (const container of containers) if (does(container)) names.push(container.name);
  return names;
}

/** Creates a control that forbids a setting of pods and containers. */
export const forbidsSetting =
  (reason: string, does: (security: CommonSecurity) => boolean, what: string): Check =>
  (pod) => {
    const setters = settersOf(pod, does);
    if (setters === undefined) return undefined;
    return { reason, detail: `${settersText(setters.pod, setters.containers)} must not set ${what}` };
  };

/** Creates a control that forbids a setting of containers. */
export const forbidsContainers =
  (reason: string, does: (container: CheckedContainer) => boolean, what: string): Check =>
  (pod) => {
    const names = namesOf(pod, does);
    return names.length === 0 ? undefined : { reason, detail: `${containersText(names)} must not set ${what}` };
  };

export const SECCOMP_TYPE = "securityContext.seccompProfile.type";
const SECCOMP_TYPES: readonly (string | undefined)[] = ["RuntimeDefault", "Localhost"];

/** Returns whether the profile type is set and not an allowed one. */
const setsBadSeccompProfile = ({ seccompProfile }: CommonSecurity): boolean =>
  seccompProfile !== undefined && !SECCOMP_TYPES.includes(seccompProfile.type);

export const badSeccompProfiles: Check = (pod) => {
  const setters = settersOf(pod, setsBadSeccompProfile);
  if (setters === undefined) return undefined;
  const types = new Values();
  for (const { seccompProfile } of [pod.security, ...pod.containers.map(({ security }) => security)]) {
    if (setsBadSeccompProfile({ seccompProfile } as CommonSecurity)) types.add(String(seccompProfile?.type));
  }
  const who = settersText(setters.pod, setters.containers);
  return { reason: "seccompProfile", detail: `${who} must not set ${SECCOMP_TYPE} to ${types.quoted}` };
};
