// Validation of seccomp and AppArmor profile names in annotations. Source: pkg/apis/core/validation/validation.go.

const LOCALHOST = "localhost/";
const SECCOMP: ReadonlySet<string> = new Set(["runtime/default", "docker/default", "unconfined"]);
const APP_ARMOR: ReadonlySet<string> = new Set(["", "runtime/default", "unconfined"]);

/** Returns whether the name is a known profile, or a file below the profile folder of the node. */
export function isSeccompProfile(name: string): boolean {
  if (!name.startsWith(LOCALHOST)) return SECCOMP.has(name);
  const path = name.slice(LOCALHOST.length);
  return !path.startsWith("/") && !path.split("/").includes("..");
}

export const isAppArmorProfile = (name: string): boolean => APP_ARMOR.has(name) || name.startsWith(LOCALHOST);
