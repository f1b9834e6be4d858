// Controls of access to the host: namespaces, paths, ports and sysctls. Source: Kubernetes documentation, "Pod Security
// Standards", "Baseline".
import type { coreV1 } from "@orch/schema";
import type { CheckedContainer } from "./checked-pod";
import type { Check } from "./control";
import { containersText, plainList, plural, quotedList, Values } from "./wording";

export const hostNamespaces: Check = ({ spec }) => {
  const taken = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((name) => spec[name] === true);
  if (taken.length === 0) return undefined;
  return { reason: "host namespaces", detail: taken.map((name) => `${name}=true`).join(", ") };
};

export const hostPathVolumes: Check = ({ spec }) => {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return { reason: "hostPath volumes", detail: `${plural("volume", names)} ${quotedList(names)}` };
};

export const hostPorts: Check = ({ containers }) => {
  const names: string[] = [];
  const ports = new Values();
  for (const { name, of } of containers) {
    const taken = (of.ports ?? []).filter(({ hostPort }) => Boolean(hostPort));
    if (taken.length > 0) names.push(name);
    for (const { hostPort } of taken) ports.add(String(hostPort));
  }
  if (names.length === 0) return undefined;
  const what = `${plural("hostPort", ports)} ${ports.plain}`;
  return { reason: "hostPort", detail: `${containersText(names)} ${plural("uses", names, "use")} ${what}` };
};

export const probeHosts: Check = ({ containers }) => {
  const names: string[] = [];
  const hosts = new Values();
  for (const container of containers) {
    const asked = hostsOf(container);
    if (asked.length > 0) names.push(container.name);
    for (const host of asked) hosts.add(host);
  }
  names.sort();
  if (hosts.length === 0) return undefined;
  const verb = plural("uses", names, "use");
  const what = `${plural("probe or lifecycle host", hosts)} ${hosts.quoted}`;
  return { reason: "probe or lifecycle host", detail: `${containersText(names)} ${verb} ${what}` };
};

function hostsOf({ of }: CheckedContainer): readonly string[] {
  const { livenessProbe, readinessProbe, startupProbe, lifecycle } = of;
  const handlers: readonly (Pick<coreV1.Probe, "httpGet" | "tcpSocket"> | undefined)[] = [
    livenessProbe,
    readinessProbe,
    startupProbe,
    lifecycle?.postStart,
    lifecycle?.preStop,
  ];
  return handlers
    .flatMap((each) => [each?.httpGet?.host, each?.tcpSocket?.host])
    .filter((host) => Boolean(host)) as string[];
}

export const procMounts: Check = ({ containers }) => {
  const names: string[] = [];
  const mounts = new Values();
  for (const { name, security } of containers) {
    const { procMount = "Default" } = security;
    if (procMount === "Default") continue;
    names.push(name);
    mounts.add(procMount);
  }
  if (names.length === 0) return undefined;
  const what = `securityContext.procMount to ${mounts.quoted}`;
  return { reason: "procMount", detail: `${containersText(names)} must not set ${what}` };
};

/** Creates the sysctl control. @param allowed names of sysctls that are namespaced or safe */
export function sysctls(allowed: readonly string[]): Check {
  const known = new Set(allowed);
  return ({ security }) => {
    const names = (security.sysctls ?? []).map(({ name }) => name).filter((name) => !known.has(name));
    return names.length === 0 ? undefined : { reason: "forbidden sysctls", detail: plainList(names) };
  };
}
