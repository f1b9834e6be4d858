// Controls of the level "restricted" that require a setting. Source: Kubernetes documentation, "Pod Security
// Standards", "Restricted".
import type { coreV1 } from "@orch/schema";
import type { Check } from "./control";
import { badSeccompProfiles, type CommonSecurity, namesOf, SECCOMP_TYPE, settersOf } from "./security-setters";
import { containersText, plural, quotedList, settersText, Values } from "./wording";

export const privilegeEscalation: Check = (pod) => {
  const names = namesOf(pod, ({ security }) => security.allowPrivilegeEscalation !== false);
  if (names.length === 0) return undefined;
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${containersText(names)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

const VOLUME_TYPES: ReadonlySet<string> = new Set([
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
]);

export const volumeTypes: Check = ({ spec }) => {
  const names: string[] = [];
  const types = new Values();
  for (const volume of spec.volumes ?? []) {
    const source = sourceOf(volume);
    if (VOLUME_TYPES.has(source)) continue;
    names.push(volume.name);
    types.add(source);
  }
  if (names.length === 0) return undefined;
  const what = `restricted volume ${plural("type", types)} ${types.quoted}`;
  return {
    reason: "restricted volume types",
    detail: `${plural("volume", names)} ${quotedList(names)} ${plural("uses", names, "use")} ${what}`,
  };
};

/** Returns the type of a volume. With several types, an allowed one is preferred; validation rejects such a volume. */
function sourceOf(volume: coreV1.Volume): string {
  const sources = Object.keys(volume).filter((key) => key !== "name");
  return sources.find((source) => VOLUME_TYPES.has(source)) ?? sources[0] ?? "unknown";
}

const saysRoot = ({ runAsNonRoot }: CommonSecurity): boolean => runAsNonRoot === false;

export const nonRoot: Check = (pod) => {
  const reason = "runAsNonRoot != true";
  const setters = settersOf(pod, saysRoot);
  if (setters !== undefined) {
    const who = settersText(setters.pod, setters.containers);
    return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
  }
  if (pod.security.runAsNonRoot === true) return undefined;
  const names = namesOf(pod, ({ security }) => security.runAsNonRoot !== true);
  if (names.length === 0) return undefined;
  return { reason, detail: `pod or ${containersText(names)} must set securityContext.runAsNonRoot=true` };
};

export const confinedSeccomp: Check = (pod) => {
  const bad = badSeccompProfiles(pod);
  if (bad !== undefined || pod.security.seccompProfile !== undefined) return bad;
  const names = namesOf(pod, ({ security }) => security.seccompProfile === undefined);
  if (names.length === 0) return undefined;
  return {
    reason: "seccompProfile",
    detail: `pod or ${containersText(names)} must set ${SECCOMP_TYPE} to "RuntimeDefault" or "Localhost"`,
  };
};
