// Namespaces that sysctls belong to. Source: staging/src/k8s.io/component-helpers/node/util/sysctl/namespace.go.

import type { coreV1 } from "@orch/schema";

const IPC_NAMES: ReadonlySet<string> = new Set(["kernel.sem"]);
const IPC_PREFIXES = ["kernel.shm", "kernel.msg", "fs.mqueue."];
const NETWORK_PREFIXES = ["net."];

type HostNamespaces = Pick<coreV1.PodSpec, "hostNetwork" | "hostIPC">;

/** Returns the field that puts the pod into the namespace of the sysctl on the host; undefined when none is set. */
export function hostNamespaceOf(sysctl: string, spec: HostNamespaces): keyof HostNamespaces | undefined {
  const name = withDots(sysctl);
  const starts = (prefix: string): boolean => name.startsWith(prefix);
  if (spec.hostIPC && (IPC_NAMES.has(name) || IPC_PREFIXES.some(starts))) return "hostIPC";
  return spec.hostNetwork && NETWORK_PREFIXES.some(starts) ? "hostNetwork" : undefined;
}

/** Returns the name with dots as separators. In a name whose first separator is a slash, dots and slashes change roles. */
function withDots(sysctl: string): string {
  const first = /[./]/.exec(sysctl)?.[0];
  return first === "/" ? sysctl.replace(/[./]/g, (each) => (each === "/" ? "." : "/")) : sysctl;
}
