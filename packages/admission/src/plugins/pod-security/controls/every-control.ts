// All controls in the order in which violations are reported. Source: Kubernetes documentation, "Pod Security
// Standards".
import { addedCapabilities, restrictedCapabilities } from "./capabilities";
import type { Control } from "./control";
import { hostNamespaces, hostPathVolumes, hostPorts, probeHosts, procMounts, sysctls } from "./host-access";
import { annotatedSeccompProfiles, appArmorProfiles, seLinuxOptions } from "./profiles";
import { confinedSeccomp, nonRoot, privilegeEscalation, volumeTypes } from "./restricted-context";
import { badSeccompProfiles, forbidsContainers, forbidsSetting } from "./security-setters";

const DEFAULT_CAPABILITIES = [
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
];

/** Allowed sysctls, with the release since which they are. */
const SYSCTLS: readonly { readonly since: string; readonly names: readonly string[] }[] = [
  {
    since: "1.0",
    names: [
      "kernel.shm_rmid_forced",
      "net.ipv4.ip_local_port_range",
      "net.ipv4.tcp_syncookies",
      "net.ipv4.ping_group_range",
      "net.ipv4.ip_unprivileged_port_start",
    ],
  },
  { since: "1.27", names: ["net.ipv4.ip_local_reserved_ports"] },
  {
    since: "1.29",
    names: [
      "net.ipv4.tcp_keepalive_time",
      "net.ipv4.tcp_fin_timeout",
      "net.ipv4.tcp_keepalive_intvl",
      "net.ipv4.tcp_keepalive_probes",
    ],
  },
  { since: "1.32", names: ["net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"] },
  { since: "1.37", names: ["net.ipv4.tcp_slow_start_after_idle", "net.ipv4.tcp_notsent_lowat"] },
];

const privileged = forbidsContainers(
  "privileged",
  ({ security }) => security.privileged === true,
  "securityContext.privileged=true",
);
const hostProcess = forbidsSetting(
  "hostProcess",
  ({ windowsOptions }) => windowsOptions?.hostProcess === true,
  "securityContext.windowsOptions.hostProcess=true",
);
const rootUser = forbidsSetting("runAsUser=0", ({ runAsUser }) => runAsUser === 0, "runAsUser=0");

const NOT_ON_WINDOWS = { windowsSince: "1.25" };
const NOT_FOR_OWN_USERS = { ownUsersSince: "1.35" };

const BASELINE: readonly Omit<Control, "level">[] = [
  { id: "appArmorProfile", versions: [{ since: "1.0", check: appArmorProfiles }] },
  { id: "capabilities_baseline", versions: [{ since: "1.0", check: addedCapabilities(DEFAULT_CAPABILITIES) }] },
  { id: "hostNamespaces", versions: [{ since: "1.0", check: hostNamespaces }] },
  { id: "hostPathVolumes", versions: [{ since: "1.0", check: hostPathVolumes }] },
  { id: "hostPorts", versions: [{ since: "1.0", check: hostPorts }] },
  { id: "hostProbesAndHostLifecycle", versions: [{ since: "1.34", check: probeHosts }] },
  { id: "privileged", versions: [{ since: "1.0", check: privileged }] },
  { id: "procMount", versions: [{ since: "1.0", check: procMounts }], passes: NOT_FOR_OWN_USERS },
  {
    id: "seLinuxOptions",
    versions: [
      { since: "1.0", check: seLinuxOptions() },
      { since: "1.31", check: seLinuxOptions("container_engine_t") },
    ],
  },
  {
    id: "seccompProfile_baseline",
    versions: [
      { since: "1.0", check: annotatedSeccompProfiles },
      { since: "1.19", check: badSeccompProfiles },
    ],
  },
  {
    id: "sysctls",
    versions: SYSCTLS.map(({ since }, at) => ({
      since,
      check: sysctls(SYSCTLS.slice(0, at + 1).flatMap(({ names }) => names)),
    })),
  },
  { id: "windowsHostProcess", versions: [{ since: "1.0", check: hostProcess }] },
];

const RESTRICTED: readonly Omit<Control, "level">[] = [
  {
    id: "allowPrivilegeEscalation",
    versions: [{ since: "1.8", check: privilegeEscalation }],
    passes: NOT_ON_WINDOWS,
  },
  {
    id: "capabilities_restricted",
    overrides: "capabilities_baseline",
    versions: [{ since: "1.22", check: restrictedCapabilities(["NET_BIND_SERVICE"]) }],
    passes: NOT_ON_WINDOWS,
  },
  { id: "procMount_restricted", overrides: "procMount", versions: [{ since: "1.35", check: procMounts }] },
  { id: "restrictedVolumes", overrides: "hostPathVolumes", versions: [{ since: "1.0", check: volumeTypes }] },
  { id: "runAsNonRoot", versions: [{ since: "1.0", check: nonRoot }], passes: NOT_FOR_OWN_USERS },
  { id: "runAsUser", versions: [{ since: "1.23", check: rootUser }], passes: NOT_FOR_OWN_USERS },
  {
    id: "seccompProfile_restricted",
    overrides: "seccompProfile_baseline",
    versions: [{ since: "1.19", check: confinedSeccomp }],
    passes: NOT_ON_WINDOWS,
  },
];

export const EVERY_CONTROL: readonly Control[] = [
  ...BASELINE.map((control) => ({ ...control, level: "baseline" as const })),
  ...RESTRICTED.map((control) => ({ ...control, level: "restricted" as const })),
];
