// Validation of the operating system of a pod, and of the fields that each system has. Source: KEP-2802, "Identify Windows
// pods at API admission level authoritatively"; KEP-1981, "Windows Privileged Containers and Host Networking Mode";
// pkg/apis/core/validation/validation.go.

import type { Place, Report, Rule } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";

const CONTAINER_LISTS = ["initContainers", "containers", "ephemeralContainers"] as const;

export const operatingSystem: Rule<coreV1.PodSpec> = (spec, at, report) => {
  const { os } = spec;
  if (os === undefined || !report.features.since("1.25")) return;
  const place = at.field("os");
  if (!os.name) report.required(place.field("name"));
  else if (os.name === "linux") linuxPod(spec, at, report);
  else if (os.name === "windows") windowsPod(spec, at, report);
  else report.notSupported(place, os.name, ["linux", "windows"]);
};

function linuxPod(spec: coreV1.PodSpec, at: Place, report: Report): void {
  for (const [context, place] of contexts(spec, at)) {
    if (context.windowsOptions === undefined) continue;
    report.forbidden(place.field("windowsOptions"), "windows options cannot be set for a linux pod");
  }
}

/** Fields of the spec that a Windows pod cannot have. The first two may be set to false. */
const LINUX_SPEC = ["hostPID", "hostIPC", "hostUsers", "shareProcessNamespace"] as const;

const LINUX_POD_CONTEXT = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "fsGroup",
  "fsGroupChangePolicy",
  "sysctls",
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
  "supplementalGroupsPolicy",
  "seLinuxChangePolicy",
] as const satisfies readonly (keyof coreV1.PodSecurityContext)[];

const LINUX_CONTEXT = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
] as const satisfies readonly (keyof coreV1.SecurityContext)[];

const NOT_WINDOWS = "cannot be set for a windows pod";

function windowsPod(spec: coreV1.PodSpec, at: Place, report: Report): void {
  for (const name of LINUX_SPEC) {
    const value = spec[name];
    const isSet = name === "hostPID" || name === "hostIPC" ? value === true : value !== undefined && value !== null;
    if (isSet) report.forbidden(at.field(name), NOT_WINDOWS);
  }
  for (const [context, place] of contexts(spec, at)) {
    const names: readonly string[] = context === spec.securityContext ? LINUX_POD_CONTEXT : LINUX_CONTEXT;
    for (const name of names) {
      const value = (context as { readonly [name: string]: unknown })[name];
      if (value !== undefined && value !== null) report.forbidden(place.field(name), NOT_WINDOWS);
    }
  }
}

type Context = Pick<coreV1.SecurityContext, "windowsOptions">;

/** Returns the security contexts of the pod and of its containers. */
function contexts(spec: coreV1.PodSpec, at: Place): readonly (readonly [Context, Place])[] {
  const found: (readonly [Context, Place])[] = [];
  if (spec.securityContext !== undefined) found.push([spec.securityContext, at.field("securityContext")]);
  for (const list of CONTAINER_LISTS) {
    const containers = spec[list] ?? [];
    for (let position = 0; position < containers.length; position += 1) {
      const context = containers[position]?.securityContext;
      if (context !== undefined) found.push([context, at.field(list).item(position).field("securityContext")]);
    }
  }
  return found;
}

/** Allows containers that run on the Windows host only for whole pods in the host's network. */
export const hostProcesses: Rule<coreV1.PodSpec> = (spec, at, report) => {
  if (!report.features.since("1.26")) return;
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess ?? undefined;
  let hostContainers = 0;
  let others = 0;
  for (const list of CONTAINER_LISTS) {
    const containers = spec[list] ?? [];
    for (let position = 0; position < containers.length; position += 1) {
      const own = containers[position]?.securityContext?.windowsOptions?.hostProcess ?? undefined;
      if (own ?? ofPod) hostContainers += 1;
      else others += 1;
      if (ofPod === undefined || own === undefined || own === ofPod) continue;
      const place = at.field(list).item(position).field("securityContext").field("windowsOptions").field("hostProcess");
      report.invalid(place, own, `pod hostProcess value must be identical if both are specified, was ${ofPod}`);
    }
  }
  if (hostContainers === 0) return;
  if (others > 0) {
    report.invalid(
      at,
      "",
      "If pod contains any hostProcess containers then all containers must be HostProcess containers",
    );
  }
  if (spec.hostNetwork !== true) {
    report.invalid(at.field("hostNetwork"), false, "must be true if the pod contains any hostProcess containers");
  }
  if (report.forbidsPrivileged) report.forbidden(at, "hostProcess containers are disallowed by cluster policy");
};
