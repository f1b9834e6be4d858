// Controls of AppArmor, seccomp and SELinux settings, in fields and in the older annotations. Source: Kubernetes
// documentation, "Pod Security Standards", "Baseline".
import type { Check } from "./control";
import { type CommonSecurity, settersOf } from "./security-setters";
import { plural, settersText, Values } from "./wording";

const APP_ARMOR_TYPES: readonly (string | undefined)[] = ["RuntimeDefault", "Localhost"];

const setsBadAppArmorProfile = ({ appArmorProfile }: CommonSecurity): boolean =>
  appArmorProfile !== undefined && !APP_ARMOR_TYPES.includes(appArmorProfile.type);

const isGoodAppArmorText = (text: string): boolean =>
  text === "" || text === "runtime/default" || text.startsWith("localhost/");

export const appArmorProfiles: Check = (pod) => {
  const setters = settersOf(pod, setsBadAppArmorProfile);
  const prefix = pod.keys.containerApparmorSecurityBeta;
  const annotations = Object.entries(pod.annotations).filter(
    ([key, text]) => key.startsWith(prefix) && !isGoodAppArmorText(text),
  );
  if (setters === undefined && annotations.length === 0) return undefined;
  const bad = new Values();
  for (const security of [pod.security, ...pod.containers.map((container) => container.security)]) {
    if (setsBadAppArmorProfile(security)) bad.add(String(security.appArmorProfile?.type));
  }
  for (const [key, text] of annotations) bad.add(`${key}=${JSON.stringify(text)}`);
  const annotated = annotations.length > 0 ? [plural("annotation", annotations)] : [];
  const who = settersText(setters?.pod ?? false, setters?.containers ?? [], ...annotated);
  return {
    reason: plural("forbidden AppArmor profile", bad),
    detail: `${who} must not set AppArmor profile type to ${bad.quoted}`,
  };
};

const isGoodSeccompText = (text: string): boolean =>
  text === "runtime/default" || text === "docker/default" || text.startsWith("localhost/");

/** Control for releases in which pods have no field for the profile. */
export const annotatedSeccompProfiles: Check = ({ annotations, containers, keys }) => {
  const bad = new Values();
  const look = (key: string): void => {
    const text = annotations[key];
    if (text !== undefined && !isGoodSeccompText(text)) bad.add(`${key}=${JSON.stringify(text)}`);
  };
  look(keys.seccompSecurityAlphaPod);
  for (const { name } of containers) look(`${keys.containerSeccompSecurityAlpha}${name}`);
  if (bad.length === 0) return undefined;
  return { reason: "seccompProfile", detail: `${plural("forbidden annotation", bad)} ${bad.plain}` };
};

const SE_LINUX_TYPES: readonly (string | undefined)[] = [
  undefined,
  "",
  "container_t",
  "container_init_t",
  "container_kvm_t",
];

/** Creates the SELinux control. @param more types that are allowed in addition to the original ones */
export function seLinuxOptions(...more: readonly string[]): Check {
  const types = new Set([...SE_LINUX_TYPES, ...more]);
  const setsBadOptions = ({ seLinuxOptions: of }: CommonSecurity): boolean =>
    of !== undefined && (!types.has(of.type) || Boolean(of.user) || Boolean(of.role));
  return (pod) => {
    const setters = settersOf(pod, setsBadOptions);
    if (setters === undefined) return undefined;
    const bad = new Values();
    let [user, role] = [false, false];
    for (const { seLinuxOptions: of } of [pod.security, ...pod.containers.map(({ security }) => security)]) {
      if (of === undefined) continue;
      if (!types.has(of.type)) bad.add(String(of.type));
      user ||= Boolean(of.user);
      role ||= Boolean(of.role);
    }
    const what = [
      ...(bad.length > 0 ? [`${plural("type", bad)} ${bad.quoted}`] : []),
      ...(user ? ["user may not be set"] : []),
      ...(role ? ["role may not be set"] : []),
    ].join("; ");
    const who = settersText(setters.pod, setters.containers);
    return { reason: "seLinuxOptions", detail: `${who} set forbidden securityContext.seLinuxOptions: ${what}` };
  };
}
