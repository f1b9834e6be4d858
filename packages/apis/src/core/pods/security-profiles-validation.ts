// Which profiles confine a container, by the names that annotations give them. Source: facts, validation/core.md "Pod create".

const LOCALHOST = "localhost/";
const SECCOMP: ReadonlySet<string> = new Set(["runtime/default", "docker/default", "unconfined"]);
const APP_ARMOR: ReadonlySet<string> = new Set(["", "runtime/default", "unconfined"]);

/** A well-known one, or a file of the node below the folder of profiles. */
export function isSeccompProfile(name: string): boolean {
  if (!name.startsWith(LOCALHOST)) return SECCOMP.has(name);
  const path = name.slice(LOCALHOST.length);
  return !path.startsWith("/") && !path.split("/").includes("..");
}

export const isAppArmorProfile = (name: string): boolean => APP_ARMOR.has(name) || name.startsWith(LOCALHOST);
