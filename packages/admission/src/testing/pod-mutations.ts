// Pods that violate or just satisfy each control: a pod that satisfies all of them with one change each, and the
// expected violations per level and release. Written from the tables of the standards, not from the code. Source:
// Kubernetes documentation, "Pod Security Standards".
import type { coreV1 } from "@orch/schema";

export interface PodMutation {
  readonly what: string;
  readonly change: Partial<PodParts>;
  /** Expected violations; empty when the pod is allowed. */
  readonly said: readonly EvaluatedValue[];
}

export interface PodParts {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Partial<coreV1.PodSpec>;
  /** Merged into the pod's security context. */
  readonly security: coreV1.PodSecurityContext;
  /** Merged into the first container. */
  readonly container: Partial<coreV1.Container>;
  /** Merged into the first container's security context. */
  readonly contained: coreV1.SecurityContext;
  /** Replaces the security context of the first container, of the pod, or of both. */
  readonly bare: "container" | "pod" | "both";
}

interface EvaluatedValue {
  /** Absent: both levels. */
  readonly level?: "baseline" | "restricted";
  /** First minor release, inclusive; `to` is inclusive, too. */
  readonly from?: number;
  readonly to?: number;
  readonly text: string;
}

const GOOD_CONTAINER: coreV1.SecurityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
const GOOD_POD: coreV1.PodSecurityContext = { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } };

/** Returns a second container that satisfies all controls, unless `security` says otherwise. */
const container = (name: string, security: coreV1.SecurityContext = {}, more: object = {}): coreV1.Container => ({
  name,
  image: "i",
  securityContext: { ...GOOD_CONTAINER, ...security },
  ...more,
});

export function podOf({
  annotations,
  spec,
  security,
  container: more,
  contained,
  bare,
}: Partial<PodParts>): coreV1.Pod {
  const podContext = bare === "pod" || bare === "both" ? security : { ...GOOD_POD, ...security };
  const context = bare === "container" || bare === "both" ? contained : { ...GOOD_CONTAINER, ...contained };
  const first = { name: "a", image: "i", ...more, ...(context && { securityContext: context }) };
  return {
    metadata: { name: "p", namespace: "shop", ...(annotations && { annotations }) },
    spec: { containers: [first], ...(podContext && { securityContext: podContext }), ...spec },
  };
}

const fine = (what: string, change: PodMutation["change"]): PodMutation => ({ what, change, said: [] });
const bad = (
  what: string,
  change: PodMutation["change"],
  ...said: readonly (EvaluatedValue | string)[]
): PodMutation => ({
  what,
  change,
  said: said.map((each) => (typeof each === "string" ? { text: each } : each)),
});
const baseline = (text: string, more: Omit<EvaluatedValue, "text" | "level"> = {}): EvaluatedValue => ({
  level: "baseline",
  text,
  ...more,
});
const restricted = (text: string, more: Omit<EvaluatedValue, "text" | "level"> = {}): EvaluatedValue => ({
  level: "restricted",
  text,
  ...more,
});

const APP_ARMOR = "container.apparmor.security.beta.orch.io/";
const SECCOMP_POD = "seccomp.security.alpha.orch.io/pod";
const SECCOMP = "container.seccomp.security.alpha.orch.io/";

const appArmor: readonly PodMutation[] = [
  ...["RuntimeDefault", "Localhost"].flatMap((type) => [
    fine(`pod with AppArmor ${type}`, { security: { appArmorProfile: { type } } as coreV1.PodSecurityContext }),
    fine(`container with AppArmor ${type}`, { contained: { appArmorProfile: { type } } as coreV1.SecurityContext }),
  ]),
  ...["", "runtime/default", "localhost/", "localhost/x"].map((text) =>
    fine(`AppArmor annotation "${text}"`, { annotations: { [`${APP_ARMOR}a`]: text } }),
  ),
  bad(
    "pod without AppArmor",
    { security: { appArmorProfile: { type: "Unconfined" } } },
    'forbidden AppArmor profile (pod must not set AppArmor profile type to "Unconfined")',
  ),
  bad(
    "container without AppArmor",
    { contained: { appArmorProfile: { type: "Unconfined" } } },
    'forbidden AppArmor profile (container "a" must not set AppArmor profile type to "Unconfined")',
  ),
  bad(
    "containers without AppArmor",
    {
      contained: { appArmorProfile: { type: "Unconfined" } },
      spec: { initContainers: [container("first", { appArmorProfile: { type: "Unconfined" } })] },
    },
    'forbidden AppArmor profile (containers "first", "a" must not set AppArmor profile type to "Unconfined")',
  ),
  bad(
    "annotation without AppArmor",
    { annotations: { [`${APP_ARMOR}a`]: "unconfined" } },
    `forbidden AppArmor profile (annotation must not set AppArmor profile type to "${APP_ARMOR}a=\\"unconfined\\"")`,
  ),
  bad(
    "annotations without AppArmor",
    { annotations: { [`${APP_ARMOR}b`]: "unconfined", [`${APP_ARMOR}a`]: "x", other: "unconfined" } },
    `forbidden AppArmor profiles (annotations must not set AppArmor profile type to "${APP_ARMOR}a=\\"x\\"", "${APP_ARMOR}b=\\"unconfined\\"")`,
  ),
  bad(
    "everything without AppArmor",
    {
      annotations: { [`${APP_ARMOR}a`]: "x" },
      security: { appArmorProfile: { type: "Unconfined" } },
      contained: { appArmorProfile: { type: "Unconfined" } },
    },
    `forbidden AppArmor profiles (pod and container "a" and annotation must not set AppArmor profile type to "Unconfined", "${APP_ARMOR}a=\\"x\\"")`,
  ),
];

const DEFAULT_CAPABILITIES =
  "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT";

const addedTo = (names: string, ...added: readonly string[]): string =>
  `${names} must not include ${added.map((each) => `"${each}"`).join(", ")} in securityContext.capabilities.add`;
const drops = (names: string): string => `${names} must set securityContext.capabilities.drop=["ALL"]`;

const capabilities: readonly PodMutation[] = [
  ...DEFAULT_CAPABILITIES.split(" ").map((name): PodMutation => {
    const change = { contained: { capabilities: { drop: ["ALL"], add: [name] } } };
    if (name === "NET_BIND_SERVICE") return fine(`with ${name}`, change);
    return bad(
      `with ${name}`,
      change,
      restricted(`unrestricted capabilities (${addedTo('container "a"', name)})`, { from: 22 }),
    );
  }),
  ...["SYS_ADMIN", "NET_RAW", "ALL", "CAP_CHOWN"].map((name) =>
    bad(
      `with ${name}`,
      { contained: { capabilities: { drop: ["ALL"], add: [name] } } },
      baseline(`non-default capabilities (${addedTo('container "a"', name)})`),
      restricted(`non-default capabilities (${addedTo('container "a"', name)})`, { to: 21 }),
      restricted(`unrestricted capabilities (${addedTo('container "a"', name)})`, { from: 22 }),
    ),
  ),
  bad(
    "which drops nothing",
    { contained: { capabilities: {} } },
    restricted(`unrestricted capabilities (${drops('container "a"')})`, { from: 22 }),
  ),
  bad(
    "which says nothing of capabilities",
    { bare: "container", contained: { allowPrivilegeEscalation: false } },
    restricted(`unrestricted capabilities (${drops('container "a"')})`, { from: 22 }),
  ),
  bad(
    "which drops another one",
    { contained: { capabilities: { drop: ["KILL"] } } },
    restricted(`unrestricted capabilities (${drops('container "a"')})`, { from: 22 }),
  ),
  fine("which drops more than all", { contained: { capabilities: { drop: ["KILL", "ALL"] } } }),
  bad(
    "of which several containers do both",
    {
      contained: { capabilities: { add: ["B", "CHOWN"] } },
      spec: { initContainers: [container("first", { capabilities: { add: ["C", "A"] } })] },
    },
    baseline(`non-default capabilities (${addedTo('containers "first", "a"', "A", "B", "C")})`),
    restricted(`non-default capabilities (${addedTo('containers "first", "a"', "A", "B", "C")})`, { to: 21 }),
    restricted(
      `unrestricted capabilities (${drops('containers "first", "a"')}; ${addedTo('containers "first", "a"', "A", "B", "C", "CHOWN")})`,
      { from: 22 },
    ),
  ),
];

const host: readonly PodMutation[] = [
  bad("in the host's network", { spec: { hostNetwork: true } }, "host namespaces (hostNetwork=true)"),
  bad("among the host's processes", { spec: { hostPID: true } }, "host namespaces (hostPID=true)"),
  bad("in the host's memory", { spec: { hostIPC: true } }, "host namespaces (hostIPC=true)"),
  bad(
    "in everything of the host's",
    { spec: { hostNetwork: true, hostPID: true, hostIPC: true } },
    "host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)",
  ),
  fine("in nothing of the host's", { spec: { hostNetwork: false, hostPID: false, hostIPC: false } }),
  fine("with a port", { container: { ports: [{ containerPort: 80 }] } }),
  fine("with no port of the host's", { container: { ports: [{ containerPort: 80, hostPort: 0 }] } }),
  bad(
    "with a port of the host's",
    { container: { ports: [{ containerPort: 80, hostPort: 80 }] } },
    'hostPort (container "a" uses hostPort 80)',
  ),
  bad(
    "with a container's ports of the host's",
    { container: { ports: [90, 1000, 90].map((hostPort) => ({ containerPort: 80, hostPort })) } },
    'hostPort (container "a" uses hostPorts 1000, 90)',
  ),
  bad(
    "with containers of which each has the host's port",
    {
      container: { ports: [{ containerPort: 80, hostPort: 90 }] },
      spec: { initContainers: [container("b", {}, { ports: [{ containerPort: 80, hostPort: 80 }] })] },
    },
    'hostPort (containers "b", "a" use hostPorts 80, 90)',
  ),
  bad(
    "with containers of which each has the same port",
    {
      container: { ports: [{ containerPort: 80, hostPort: 80 }] },
      spec: { initContainers: [container("b", {}, { ports: [{ containerPort: 80, hostPort: 80 }] })] },
    },
    'hostPort (containers "b", "a" use hostPort 80)',
  ),
  ...(["livenessProbe", "readinessProbe", "startupProbe"] as const).flatMap((probe) => [
    bad(
      `with a ${probe} of another host by HTTP`,
      { container: { [probe]: { httpGet: { port: 80, host: "h" } } } },
      { from: 34, text: 'probe or lifecycle host (container "a" uses probe or lifecycle host "h")' },
    ),
    bad(
      `with a ${probe} of another host by TCP`,
      { container: { [probe]: { tcpSocket: { port: 80, host: "h" } } } },
      { from: 34, text: 'probe or lifecycle host (container "a" uses probe or lifecycle host "h")' },
    ),
    fine(`with a ${probe} of itself`, { container: { [probe]: { httpGet: { port: 80, host: "" } } } }),
  ]),
  bad(
    "with hooks that ask other hosts",
    {
      container: {
        lifecycle: { postStart: { httpGet: { port: 1, host: "y" } }, preStop: { tcpSocket: { port: 1, host: "x" } } },
      },
    },
    { from: 34, text: 'probe or lifecycle host (container "a" uses probe or lifecycle hosts "x", "y")' },
  ),
];

const privileges: readonly PodMutation[] = [
  fine("which is expressly unprivileged", { contained: { privileged: false } }),
  bad(
    "which is privileged",
    { contained: { privileged: true } },
    'privileged (container "a" must not set securityContext.privileged=true)',
  ),
  bad(
    "of which the first container is privileged",
    { spec: { initContainers: [container("b", { privileged: true })] } },
    'privileged (container "b" must not set securityContext.privileged=true)',
  ),
  bad(
    "that a privileged container has joined",
    { spec: { ephemeralContainers: [container("e", { privileged: true }) as coreV1.EphemeralContainer] } },
    'privileged (container "e" must not set securityContext.privileged=true)',
  ),
  bad(
    "all of whose containers are privileged",
    {
      contained: { privileged: true },
      spec: {
        initContainers: [container("z", { privileged: true })],
        ephemeralContainers: [container("e", { privileged: true }) as coreV1.EphemeralContainer],
      },
    },
    'privileged (containers "z", "a", "e" must not set securityContext.privileged=true)',
  ),
  fine("with the usual /proc", { contained: { procMount: "Default" } }),
  bad(
    "with all of /proc",
    { contained: { procMount: "Unmasked" } },
    'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
  ),
  bad(
    "with all of /proc, and users of its own",
    { contained: { procMount: "Unmasked" }, spec: { hostUsers: false } },
    { to: 34, text: 'procMount (container "a" must not set securityContext.procMount to "Unmasked")' },
    restricted('procMount (container "a" must not set securityContext.procMount to "Unmasked")', { from: 35 }),
  ),
  fine("with no host process", { security: { windowsOptions: { hostProcess: false } } }),
  bad(
    "which is a host process",
    { security: { windowsOptions: { hostProcess: true } } },
    "hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)",
  ),
  bad(
    "of which a container is a host process",
    { contained: { windowsOptions: { hostProcess: true } } },
    'hostProcess (container "a" must not set securityContext.windowsOptions.hostProcess=true)',
  ),
  bad(
    "all of which is a host process",
    {
      security: { windowsOptions: { hostProcess: true } },
      contained: { windowsOptions: { hostProcess: true } },
    },
    'hostProcess (pod and container "a" must not set securityContext.windowsOptions.hostProcess=true)',
  ),
];

const seLinux: readonly PodMutation[] = [
  ...["", "container_t", "container_init_t", "container_kvm_t"].flatMap((type) => [
    fine(`pod of the SELinux type "${type}"`, { security: { seLinuxOptions: { type } } }),
    fine(`container of the SELinux type "${type}"`, { contained: { seLinuxOptions: { type } } }),
  ]),
  fine("with an SELinux level", { security: { seLinuxOptions: { level: "s0" } } }),
  bad(
    "of the SELinux type that engines have",
    { security: { seLinuxOptions: { type: "container_engine_t" } } },
    {
      to: 30,
      text: 'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "container_engine_t")',
    },
  ),
  bad(
    "of another SELinux type",
    { security: { seLinuxOptions: { type: "x" } } },
    'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "x")',
  ),
  bad(
    "of several SELinux types",
    {
      contained: { seLinuxOptions: { type: "y" } },
      spec: { initContainers: [container("b", { seLinuxOptions: { type: "x" } })] },
    },
    'seLinuxOptions (containers "b", "a" set forbidden securityContext.seLinuxOptions: types "x", "y")',
  ),
  bad(
    "with an SELinux user",
    { security: { seLinuxOptions: { user: "u" } } },
    "seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: user may not be set)",
  ),
  bad(
    "with an SELinux role",
    { contained: { seLinuxOptions: { role: "r" } } },
    'seLinuxOptions (container "a" set forbidden securityContext.seLinuxOptions: role may not be set)',
  ),
  bad(
    "with everything of SELinux",
    {
      security: { seLinuxOptions: { type: "x", role: "r" } },
      contained: { seLinuxOptions: { type: "x", user: "u" } },
    },
    'seLinuxOptions (pod and container "a" set forbidden securityContext.seLinuxOptions: type "x"; user may not be set; role may not be set)',
  ),
];

const SECCOMP_TYPE = "securityContext.seccompProfile.type";

const seccomp: readonly PodMutation[] = [
  ...["runtime/default", "docker/default", "localhost/x"].map((text) =>
    fine(`seccomp annotation "${text}"`, { annotations: { [SECCOMP_POD]: text, [`${SECCOMP}a`]: text } }),
  ),
  bad(
    "whose annotation says no seccomp",
    { annotations: { [SECCOMP_POD]: "unconfined" } },
    { to: 18, text: `seccompProfile (forbidden annotation ${SECCOMP_POD}="unconfined")` },
  ),
  bad(
    "whose annotations say no seccomp",
    { annotations: { [SECCOMP_POD]: "", [`${SECCOMP}a`]: "unconfined", [`${SECCOMP}nobody`]: "unconfined" } },
    {
      to: 18,
      text: `seccompProfile (forbidden annotations ${SECCOMP}a="unconfined", ${SECCOMP_POD}="")`,
    },
  ),
  fine("with a seccomp profile of its own", { security: { seccompProfile: { type: "Localhost" } } }),
  bad(
    "without seccomp",
    { security: { seccompProfile: { type: "Unconfined" } } },
    { from: 19, text: `seccompProfile (pod must not set ${SECCOMP_TYPE} to "Unconfined")` },
  ),
  bad(
    "of which a container has no seccomp",
    { contained: { seccompProfile: { type: "Unconfined" } } },
    { from: 19, text: `seccompProfile (container "a" must not set ${SECCOMP_TYPE} to "Unconfined")` },
  ),
  bad(
    "of which nothing has seccomp",
    { security: { seccompProfile: { type: "Unconfined" } }, contained: { seccompProfile: { type: "Unconfined" } } },
    { from: 19, text: `seccompProfile (pod and container "a" must not set ${SECCOMP_TYPE} to "Unconfined")` },
  ),
  bad(
    "which says nothing of seccomp",
    { bare: "pod", security: { runAsNonRoot: true } },
    restricted(`seccompProfile (pod or container "a" must set ${SECCOMP_TYPE} to "RuntimeDefault" or "Localhost")`, {
      from: 19,
    }),
  ),
  bad(
    "of which one container says nothing of seccomp",
    {
      bare: "pod",
      security: { runAsNonRoot: true },
      contained: { seccompProfile: { type: "Localhost" } },
      spec: { initContainers: [container("b"), container("c")] },
    },
    restricted(
      `seccompProfile (pod or containers "b", "c" must set ${SECCOMP_TYPE} to "RuntimeDefault" or "Localhost")`,
      { from: 19 },
    ),
  ),
  fine("whose containers say of seccomp", {
    bare: "pod",
    security: { runAsNonRoot: true },
    contained: { seccompProfile: { type: "RuntimeDefault" } },
  }),
];

const sysctlsFrom = (from: number, ...names: readonly string[]): readonly PodMutation[] =>
  names.map((name) =>
    bad(
      `with ${name}`,
      { security: { sysctls: [{ name, value: "1" }] } },
      ...(from === 0 ? [] : [{ to: from - 1, text: `forbidden sysctls (${name})` }]),
    ),
  );

const sysctls: readonly PodMutation[] = [
  ...sysctlsFrom(
    0,
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range",
    "net.ipv4.ip_unprivileged_port_start",
  ),
  ...sysctlsFrom(27, "net.ipv4.ip_local_reserved_ports"),
  ...sysctlsFrom(
    29,
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
  ),
  ...sysctlsFrom(32, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"),
  ...sysctlsFrom(37, "net.ipv4.tcp_slow_start_after_idle", "net.ipv4.tcp_notsent_lowat"),
  bad(
    "with kernel parameters of the host's",
    { security: { sysctls: ["vm.b", "net.ipv4.tcp_syncookies", "vm.a"].map((name) => ({ name, value: "1" })) } },
    "forbidden sysctls (vm.b, vm.a)",
  ),
];

const RESTRICTED_VOLUMES = [
  "awsElasticBlockStore",
  "azureDisk",
  "azureFile",
  "cephfs",
  "cinder",
  "fc",
  "flexVolume",
  "flocker",
  "gcePersistentDisk",
  "gitRepo",
  "glusterfs",
  "iscsi",
  "nfs",
  "photonPersistentDisk",
  "portworxVolume",
  "quobyte",
  "rbd",
  "scaleIO",
  "storageos",
  "vsphereVolume",
];
const FREE_VOLUMES = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
];
const volume = (name: string, source: string): coreV1.Volume => ({ name, [source]: {} });

const volumes: readonly PodMutation[] = [
  ...FREE_VOLUMES.map((source) => fine(`with a volume ${source}`, { spec: { volumes: [volume("v", source)] } })),
  ...RESTRICTED_VOLUMES.map((source) =>
    bad(
      `with a volume ${source}`,
      { spec: { volumes: [volume("ok", "secret"), volume("v", source)] } },
      restricted(`restricted volume types (volume "v" uses restricted volume type "${source}")`),
    ),
  ),
  bad(
    "with a volume of no source",
    { spec: { volumes: [{ name: "v" }] } },
    restricted('restricted volume types (volume "v" uses restricted volume type "unknown")'),
  ),
  bad(
    "with a path of the host's",
    { spec: { volumes: [volume("v", "hostPath")] } },
    baseline('hostPath volumes (volume "v")'),
    restricted('restricted volume types (volume "v" uses restricted volume type "hostPath")'),
  ),
  bad(
    "with paths of the host's and other volumes",
    { spec: { volumes: [volume("v", "nfs"), volume("w", "hostPath"), volume("x", "hostPath")] } },
    baseline('hostPath volumes (volumes "w", "x")'),
    restricted('restricted volume types (volumes "v", "w", "x" use restricted volume types "hostPath", "nfs")'),
  ),
];

const NOT_ESCALATING = (names: string): EvaluatedValue =>
  restricted(`allowPrivilegeEscalation != false (${names} must set securityContext.allowPrivilegeEscalation=false)`, {
    from: 8,
  });

const escalation: readonly PodMutation[] = [
  bad("which may escalate", { contained: { allowPrivilegeEscalation: true } }, NOT_ESCALATING('container "a"')),
  bad(
    "which says nothing of escalation",
    { bare: "container", contained: { capabilities: { drop: ["ALL"] } } },
    NOT_ESCALATING('container "a"'),
  ),
  bad(
    "of which several containers may escalate",
    {
      contained: { allowPrivilegeEscalation: true },
      spec: { initContainers: [container("b", { allowPrivilegeEscalation: true })] },
    },
    NOT_ESCALATING('containers "b", "a"'),
  ),
];

const ROOT = "must not set securityContext.runAsNonRoot=false";
const NOT_ROOT = "must set securityContext.runAsNonRoot=true";
const seccompOnly: coreV1.PodSecurityContext = { seccompProfile: { type: "RuntimeDefault" } };

const users: readonly PodMutation[] = [
  bad("which runs as root", { security: { runAsNonRoot: false } }, restricted(`runAsNonRoot != true (pod ${ROOT})`)),
  bad(
    "of which a container runs as root",
    { contained: { runAsNonRoot: false } },
    restricted(`runAsNonRoot != true (container "a" ${ROOT})`),
  ),
  bad(
    "all of which runs as root",
    { security: { runAsNonRoot: false }, contained: { runAsNonRoot: false } },
    restricted(`runAsNonRoot != true (pod and container "a" ${ROOT})`),
  ),
  bad(
    "which says nothing of root",
    { bare: "pod", security: seccompOnly },
    restricted(`runAsNonRoot != true (pod or container "a" ${NOT_ROOT})`),
  ),
  bad(
    "of which some containers say nothing of root",
    {
      bare: "pod",
      security: seccompOnly,
      contained: { runAsNonRoot: true },
      spec: { initContainers: [container("b"), container("c")] },
    },
    restricted(`runAsNonRoot != true (pod or containers "b", "c" ${NOT_ROOT})`),
  ),
  bad(
    "with users of its own, which says nothing of root",
    { bare: "pod", security: seccompOnly, spec: { hostUsers: false } },
    restricted(`runAsNonRoot != true (pod or container "a" ${NOT_ROOT})`, { to: 34 }),
  ),
  fine("whose containers say that they are not root", {
    bare: "pod",
    security: seccompOnly,
    contained: { runAsNonRoot: true },
  }),
  fine("with a user", { security: { runAsUser: 1 }, contained: { runAsUser: 2 } }),
  bad(
    "with the user root",
    { security: { runAsUser: 0 } },
    restricted("runAsUser=0 (pod must not set runAsUser=0)", { from: 23 }),
  ),
  bad(
    "of which a container has the user root",
    { contained: { runAsUser: 0 } },
    restricted('runAsUser=0 (container "a" must not set runAsUser=0)', { from: 23 }),
  ),
  bad(
    "all of which has the user root",
    {
      security: { runAsUser: 0 },
      contained: { runAsUser: 0 },
      spec: { initContainers: [container("b", { runAsUser: 0 })] },
    },
    restricted('runAsUser=0 (pod and containers "b", "a" must not set runAsUser=0)', { from: 23 }),
  ),
  bad(
    "with users of its own, of which one is root",
    { security: { runAsUser: 0 }, spec: { hostUsers: false } },
    restricted("runAsUser=0 (pod must not set runAsUser=0)", { from: 23, to: 34 }),
  ),
];

const whole: readonly PodMutation[] = [
  fine("which keeps all rules", {}),
  bad(
    "which says nothing at all",
    { bare: "both" },
    NOT_ESCALATING('container "a"'),
    restricted(`unrestricted capabilities (${drops('container "a"')})`, { from: 22 }),
    restricted(`runAsNonRoot != true (pod or container "a" ${NOT_ROOT})`),
    restricted(`seccompProfile (pod or container "a" must set ${SECCOMP_TYPE} to "RuntimeDefault" or "Localhost")`, {
      from: 19,
    }),
  ),
  bad(
    "of Windows, which says nothing at all",
    { bare: "both", spec: { os: { name: "windows" } } },
    restricted(NOT_ESCALATING('container "a"').text, { from: 8, to: 24 }),
    restricted(`unrestricted capabilities (${drops('container "a"')})`, { from: 22, to: 24 }),
    restricted(`runAsNonRoot != true (pod or container "a" ${NOT_ROOT})`),
    restricted(`seccompProfile (pod or container "a" must set ${SECCOMP_TYPE} to "RuntimeDefault" or "Localhost")`, {
      from: 19,
      to: 24,
    }),
  ),
  bad(
    "which breaks many rules",
    {
      annotations: { [`${APP_ARMOR}a`]: "x" },
      spec: { hostPID: true, volumes: [volume("v", "hostPath")] },
      contained: { privileged: true, allowPrivilegeEscalation: true, runAsUser: 0 },
    },
    `forbidden AppArmor profile (annotation must not set AppArmor profile type to "${APP_ARMOR}a=\\"x\\"")`,
    "host namespaces (hostPID=true)",
    baseline('hostPath volumes (volume "v")'),
    'privileged (container "a" must not set securityContext.privileged=true)',
    NOT_ESCALATING('container "a"'),
    restricted('restricted volume types (volume "v" uses restricted volume type "hostPath")'),
    restricted('runAsUser=0 (container "a" must not set runAsUser=0)', { from: 23 }),
  ),
];

export const POD_MUTATIONS: readonly PodMutation[] = [
  ...whole,
  ...appArmor,
  ...capabilities,
  ...host,
  ...privileges,
  ...seLinux,
  ...seccomp,
  ...sysctls,
  ...volumes,
  ...escalation,
  ...users,
];

/** Returns the expected text. @returns undefined for a pod that is allowed */
export function saidOf({ said }: PodMutation, level: "baseline" | "restricted", minor: number): string | undefined {
  const texts = said
    .filter((each) => each.level === undefined || each.level === level)
    .filter(({ from = 0, to = Infinity }) => minor >= from && minor <= to)
    .map(({ text }) => text);
  return texts.length === 0 ? undefined : texts.join(", ");
}
