// Validation of pods that leave or rename parts of the host's namespaces: user namespaces and host names. Source:
// KEP-127, "Support User Namespaces in Stateless Pods"; KEP-4762, "Allow Setting Arbitrary FQDN as the Pod's Hostname".

import { type Place, type Report, type Rule, subdomain } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import {
  storesDevicesOfUserNamespace,
  storesFileKeys,
  storesHostNetworkOfUserNamespace,
} from "../containers/stored-pod-spec";

const HOSTNAME_MAX = 64;

/** Requires a user namespace for containers that see all of /proc. Source: KEP-4265, "add ProcMount option". */
export const unmaskedProc: Rule<coreV1.PodSpec> = (spec, at, report) => {
  if (spec.hostUsers === false || !report.features.since("1.30")) return;
  for (const list of ["initContainers", "containers", "ephemeralContainers"] as const) {
    spec[list]?.forEach(({ securityContext }, position) => {
      if (securityContext?.procMount !== "Unmasked") return;
      const place = at.field(list).item(position).field("securityContext").field("procMount");
      report.invalid(place, "Unmasked", "`hostUsers` must be false to use `Unmasked`");
    });
  }
};

const KUBERNETES_NAMES: { readonly [name: string]: string } = { hostPID: "HostPID", hostIPC: "HostIPC" };

/** A pod with a user namespace of its own shares no other namespace with the host. */
export const hostUsers: Rule<coreV1.PodSpec> = (spec, at, report) => {
  if (spec.hostUsers !== false || !report.features.isOn("UserNamespacesSupport")) return;
  for (const name of ["hostNetwork", "hostPID", "hostIPC"] as const) {
    if (!spec[name]) continue;
    if (name === "hostNetwork" && storesHostNetworkOfUserNamespace(report)) continue;
    // Kubernetes names two of the fields with capitals.
    report.forbidden(at.field(KUBERNETES_NAMES[name] ?? name), "when `hostUsers` is false");
  }
  for (const list of ["initContainers", "containers", "ephemeralContainers"] as const) {
    spec[list]?.forEach(({ volumeDevices = [] }, position) => {
      if (volumeDevices.length === 0 || storesDevicesOfUserNamespace(report)) return;
      report.forbidden(at.field(list).item(position).field("volumeDevices"), "when `hostUsers` is false");
    });
  }
};

export const hostnameOverride: Rule<coreV1.PodSpec> = (spec, at, report) => {
  const { hostnameOverride: name } = spec;
  if (name === undefined || !report.features.isOn("HostnameOverride")) return;
  const place = at.field("hostnameOverride");
  if (spec.setHostnameAsFQDN) report.forbidden(place, "may not be specified when setHostnameAsFQDN is true");
  if (spec.hostNetwork) report.forbidden(place, "may not be specified when hostNetwork is true");
  if (name.length > HOSTNAME_MAX) report.tooLong(place, HOSTNAME_MAX);
  subdomain(name, place, report);
};

/** Requires an emptyDir volume for each environment variable that is read from a file. */
export const envFileVolumes: Rule<coreV1.PodSpec> = (spec, at, report) => {
  if (!report.features.isOn("EnvFiles") && !storesFileKeys(report)) return;
  let volumes: ReadonlyMap<string, coreV1.Volume> | undefined;
  for (const list of ["initContainers", "containers", "ephemeralContainers"] as const) {
    const containers = spec[list] ?? [];
    for (let position = 0; position < containers.length; position += 1) {
      const { env } = containers[position] as coreV1.Container;
      if (env?.some(({ valueFrom }) => valueFrom?.fileKeyRef !== undefined) !== true) continue;
      volumes ??= new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
      fileVolumes(env, volumes, at.field(list).item(position).field("env"), report);
    }
  }
};

function fileVolumes(
  env: readonly coreV1.EnvVar[],
  volumes: ReadonlyMap<string, coreV1.Volume>,
  at: Place,
  report: Report,
): void {
  env.forEach(({ valueFrom }, position) => {
    const name = valueFrom?.fileKeyRef?.volumeName;
    if (name === undefined) return;
    const place = at.item(position).field("valueFrom").field("fileKeyRef").field("volumeName");
    const volume = volumes.get(name);
    if (volume === undefined) report.notFound(place, name);
    else if (volume.emptyDir === undefined) report.invalid(place, name, "referenced volume must be of type emptyDir");
  });
}
