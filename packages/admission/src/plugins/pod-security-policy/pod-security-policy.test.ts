// Effect of one policy on a pod, field by field; the choice among several policies; and the authorization to use them.
import { describe, expect, test } from "@jest/globals";
import type { ResourceAttributes } from "@orch/auth";
import { metaOf } from "@orch/machinery";
import type { coreV1, JsonObject, policyV1beta1 } from "@orch/schema";
import { askPolicies, type PodParts, podOf, policyOf } from "../../testing/asked-policies";

const PSP = "orch.io/psp";
const SECCOMP = "seccomp.security.alpha.orch.io/";
const SECCOMP_OF = "container.seccomp.security.alpha.orch.io/c";
const APP_ARMOR = "apparmor.security.beta.orch.io/";
const APP_ARMOR_OF = "container.apparmor.security.beta.orch.io/c";
const ANY = { rule: "RunAsAny" } as const;

type Spec = {
  readonly [Name in keyof policyV1beta1.PodSecurityPolicySpec]?: policyV1beta1.PodSecurityPolicySpec[Name] | undefined;
};
/** "same": allowed without changes; an object: the mutated pod; a text: the violation. */
type Outcome = "same" | PodParts | string;
type Row = readonly [what: string, policy: Spec, pod: PodParts, outcome: Outcome];
type AnnotatedRow = readonly [
  what: string,
  annotations: Readonly<Record<string, string>>,
  pod: PodParts,
  outcome: Outcome,
];

const withPolicy = (pod: PodParts): PodParts => ({ ...pod, annotations: { ...pod.annotations, [PSP]: "p" } });

async function expectOutcome(policy: JsonObject, pod: PodParts, outcome: Outcome): Promise<void> {
  const answer = await askPolicies({ policies: [policy], request: { object: podOf(pod) } });
  if (typeof outcome === "string" && outcome !== "same") {
    const message = `pods "a" is forbidden: PodSecurityPolicy: unable to admit pod: [${outcome}]`;
    expect(answer).toEqual({ refusal: message, audit: {} });
    return;
  }
  const expected = podOf(withPolicy(outcome === "same" ? pod : outcome));
  expect(answer).toEqual({
    object: expected,
    audit: {
      "podsecuritypolicy.policy.orch.io/admit-policy": "p",
      "podsecuritypolicy.policy.orch.io/validate-policy": "p",
    },
  });
}

const AT = "spec.containers[0].securityContext";
const RANGES = [
  { min: 10, max: 20 },
  { min: 30, max: 30 },
];
const IN_RANGES = "must be in the ranges: [{10 20} {30 30}]";
const NON_ROOT = { runAsUser: { rule: "MustRunAsNonRoot" } } as const;
const USERS: Spec = { runAsUser: { rule: "MustRunAs", ranges: RANGES } };

const users: readonly Row[] = [
  ["any user", {}, {}, "same"],
  ["any user, though it be root", {}, { contained: { runAsUser: 0 } }, "same"],
  ["the first user of ranges, where none is named", USERS, {}, { contained: { runAsUser: 10 } }],
  ["a user of ranges", USERS, { contained: { runAsUser: 20 } }, "same"],
  ["a user of another range", USERS, { contained: { runAsUser: 30 } }, "same"],
  ["the pod's user of ranges", USERS, { security: { runAsUser: 15 } }, "same"],
  [
    "the container's user before the pod's",
    USERS,
    { security: { runAsUser: 1 }, contained: { runAsUser: 10 } },
    "same",
  ],
  ["a user below ranges", USERS, { contained: { runAsUser: 9 } }, `${AT}.runAsUser: Invalid value: 9: ${IN_RANGES}`],
  [
    "a user between ranges",
    USERS,
    { contained: { runAsUser: 21 } },
    `${AT}.runAsUser: Invalid value: 21: ${IN_RANGES}`,
  ],
  [
    "the pod's user above ranges",
    USERS,
    { security: { runAsUser: 31 } },
    `${AT}.runAsUser: Invalid value: 31: ${IN_RANGES}`,
  ],
  ["nobody who is root, and marks that", NON_ROOT, {}, { contained: { runAsNonRoot: true } }],
  ["nobody who is root, where a user is named", NON_ROOT, { contained: { runAsUser: 1 } }, "same"],
  ["nobody who is root, where the pod says that", NON_ROOT, { security: { runAsNonRoot: true } }, "same"],
  [
    "nobody who says that he may be root",
    NON_ROOT,
    { contained: { runAsNonRoot: false } },
    `${AT}.runAsNonRoot: Invalid value: false: must be true`,
  ],
  [
    "nobody whose pod says that he may be root",
    NON_ROOT,
    { security: { runAsNonRoot: false } },
    `${AT}.runAsNonRoot: Invalid value: false: must be true`,
  ],
  [
    "nobody who is root by number",
    NON_ROOT,
    { contained: { runAsUser: 0 } },
    `${AT}.runAsUser: Invalid value: 0: running with the root UID is forbidden`,
  ],
];

const MUST = { rule: "MustRunAs", ranges: RANGES } as const;
const MAY = { rule: "MayRunAs", ranges: RANGES } as const;

const groups: readonly Row[] = [
  ["any group of files", {}, { security: { fsGroup: 1 } }, "same"],
  ["the first group of files, where none is named", { fsGroup: MUST }, {}, { security: { fsGroup: 10 } }],
  ["a group of files", { fsGroup: MUST }, { security: { fsGroup: 30 } }, "same"],
  [
    "another group of files",
    { fsGroup: MUST },
    { security: { fsGroup: 5 } },
    `spec.securityContext.fsGroup: Invalid value: [5]: group 5 ${IN_RANGES}`,
  ],
  ["no group of files, where one may be", { fsGroup: MAY }, {}, "same"],
  ["a group of files that may be", { fsGroup: MAY }, { security: { fsGroup: 10 } }, "same"],
  [
    "a group of files that may not be",
    { fsGroup: MAY },
    { security: { fsGroup: 9 } },
    `spec.securityContext.fsGroup: Invalid value: [9]: group 9 ${IN_RANGES}`,
  ],
  ["any further groups", {}, { security: { supplementalGroups: [1, 2] } }, "same"],
  [
    "a further group, where none is named",
    { supplementalGroups: MUST },
    {},
    { security: { supplementalGroups: [10] } },
  ],
  ["further groups of ranges", { supplementalGroups: MUST }, { security: { supplementalGroups: [10, 30] } }, "same"],
  [
    "further groups of which some are of none",
    { supplementalGroups: MUST },
    { security: { supplementalGroups: [9, 10, 40] } },
    `spec.securityContext.supplementalGroups: Invalid value: [9,10,40]: group 9 ${IN_RANGES} spec.securityContext.supplementalGroups: Invalid value: [9,10,40]: group 40 ${IN_RANGES}`,
  ],
  [
    "no list of further groups that is empty",
    { supplementalGroups: MUST },
    { security: { supplementalGroups: [] } },
    "spec.securityContext.supplementalGroups: Invalid value: []: unable to validate empty groups against required ranges",
  ],
  ["no further groups, where they may be", { supplementalGroups: MAY }, {}, "same"],
  [
    "further groups that may not be",
    { supplementalGroups: MAY },
    { security: { supplementalGroups: [1] } },
    `spec.securityContext.supplementalGroups: Invalid value: [1]: group 1 ${IN_RANGES}`,
  ],
  ["any group of processes", { runAsGroup: ANY }, { contained: { runAsGroup: 1 } }, "same"],
  ["the first group of processes, where none is named", { runAsGroup: MUST }, {}, { contained: { runAsGroup: 10 } }],
  ["the pod's group of processes", { runAsGroup: MUST }, { security: { runAsGroup: 12 } }, "same"],
  [
    "another group of processes",
    { runAsGroup: MUST },
    { contained: { runAsGroup: 5 } },
    `${AT}: Invalid value: [5]: group 5 ${IN_RANGES}`,
  ],
  ["no group of processes, where one may be", { runAsGroup: MAY }, {}, "same"],
  [
    "a group of processes that may not be",
    { runAsGroup: MAY },
    { contained: { runAsGroup: 5 } },
    `${AT}: Invalid value: [5]: group 5 ${IN_RANGES}`,
  ],
];

const OPTIONS: coreV1.SELinuxOptions = { level: "s0:c1,c2", role: "r", type: "t", user: "u" };
const SE: Spec = { seLinux: { rule: "MustRunAs", seLinuxOptions: OPTIONS } };

const seLinux: readonly Row[] = [
  ["any mark for SELinux", {}, { security: { seLinuxOptions: { type: "x" } } }, "same"],
  ["the mark for SELinux, where there is none", SE, {}, { security: { seLinuxOptions: OPTIONS } }],
  ["the mark for SELinux that it wants", SE, { security: { seLinuxOptions: OPTIONS } }, "same"],
  [
    "the mark with categories in another order",
    SE,
    { security: { seLinuxOptions: { ...OPTIONS, level: "s0:c2,c1" } } },
    "same",
  ],
  [
    "the mark of a container, and the pod's where that has none",
    SE,
    { contained: { seLinuxOptions: OPTIONS } },
    { contained: { seLinuxOptions: OPTIONS }, security: { seLinuxOptions: OPTIONS } },
  ],
  [
    "no other mark of a container",
    SE,
    { contained: { seLinuxOptions: { ...OPTIONS, level: "s1" } } },
    `${AT}.seLinuxOptions.level: Invalid value: "s1": must be s0:c1,c2`,
  ],
  [
    "no mark with other parts",
    SE,
    { security: { seLinuxOptions: { level: "s0:c1,c3", type: "x" } }, contained: { seLinuxOptions: OPTIONS } },
    'spec.securityContext.seLinuxOptions.level: Invalid value: "s0:c1,c3": must be s0:c1,c2 spec.securityContext.seLinuxOptions.role: Invalid value: "": must be r spec.securityContext.seLinuxOptions.type: Invalid value: "x": must be t spec.securityContext.seLinuxOptions.user: Invalid value: "": must be u',
  ],
];

const ADDS: Spec = { allowedCapabilities: undefined, defaultAddCapabilities: ["B", "A"] };
const DROPS: Spec = { allowedCapabilities: undefined, requiredDropCapabilities: ["Y", "X"] };

const capabilities: readonly Row[] = [
  ["any capability", {}, { contained: { capabilities: { add: ["X"], drop: ["Y"] } } }, "same"],
  [
    "no capability, where none is allowed",
    { allowedCapabilities: undefined },
    { contained: { capabilities: { add: ["X"] } } },
    `${AT}.capabilities.add: Invalid value: "X": capability may not be added`,
  ],
  ["an allowed capability", { allowedCapabilities: ["X"] }, { contained: { capabilities: { add: ["X"] } } }, "same"],
  [
    "capabilities of which some are not allowed",
    { allowedCapabilities: ["X"] },
    { contained: { capabilities: { add: ["Y", "X", "Z"] } } },
    `${AT}.capabilities.add: Invalid value: "Y": capability may not be added ${AT}.capabilities.add: Invalid value: "Z": capability may not be added`,
  ],
  ["what is dropped", { allowedCapabilities: undefined }, { contained: { capabilities: { drop: ["X"] } } }, "same"],
  ["what it adds itself", ADDS, {}, { contained: { capabilities: { add: ["A", "B"] } } }],
  [
    "what it adds itself, besides what is stated",
    { ...ADDS, allowedCapabilities: ["Z"] },
    { contained: { capabilities: { add: ["Z"] } } },
    { contained: { capabilities: { add: ["A", "B", "Z"] } } },
  ],
  [
    "what it adds itself, unless it is dropped",
    ADDS,
    { contained: { capabilities: { drop: ["A"] } } },
    { contained: { capabilities: { add: ["B"], drop: ["A"] } } },
  ],
  ["what it would add, where all of it is stated", ADDS, { contained: { capabilities: { add: ["A", "B"] } } }, "same"],
  [
    "what it would add, where all of it is dropped",
    ADDS,
    { contained: { capabilities: { drop: ["B", "A"] } } },
    "same",
  ],
  ["what it drops itself", DROPS, {}, { contained: { capabilities: { drop: ["X", "Y"] } } }],
  [
    "what it drops itself, besides what is stated",
    DROPS,
    { contained: { capabilities: { drop: ["Z"] } } },
    { contained: { capabilities: { drop: ["X", "Y", "Z"] } } },
  ],
  [
    "what it would drop, where all of it is stated",
    DROPS,
    { contained: { capabilities: { drop: ["Y", "X"] } } },
    "same",
  ],
  [
    "nothing that it drops itself",
    DROPS,
    { contained: { capabilities: { add: ["X"] } } },
    `${AT}.capabilities.add: Invalid value: "X": capability may not be added`,
  ],
];

const CONFINED: Spec = { allowPrivilegeEscalation: false };
const ESCALATION = "Allowing privilege escalation for containers is not allowed";

const containers: readonly Row[] = [
  ["a privileged container", {}, { contained: { privileged: true } }, "same"],
  [
    "no privileged container",
    { privileged: undefined },
    { contained: { privileged: true } },
    `${AT}.privileged: Invalid value: true: Privileged containers are not allowed`,
  ],
  ["a container that is expressly unprivileged", { privileged: false }, { contained: { privileged: false } }, "same"],
  ["escalation", {}, { contained: { allowPrivilegeEscalation: true } }, "same"],
  ["no escalation, and says so", CONFINED, {}, { contained: { allowPrivilegeEscalation: false } }],
  ["no escalation, where that is said", CONFINED, { contained: { allowPrivilegeEscalation: false } }, "same"],
  [
    "no escalation that is asked for",
    CONFINED,
    { contained: { allowPrivilegeEscalation: true } },
    `${AT}.allowPrivilegeEscalation: Invalid value: true: ${ESCALATION}`,
  ],
  [
    "no escalation, unless it is asked for",
    { defaultAllowPrivilegeEscalation: false },
    {},
    { contained: { allowPrivilegeEscalation: false } },
  ],
  [
    "escalation that is asked for",
    { defaultAllowPrivilegeEscalation: false },
    { contained: { allowPrivilegeEscalation: true } },
    "same",
  ],
  [
    "escalation, unless it is refused",
    { defaultAllowPrivilegeEscalation: true },
    {},
    { contained: { allowPrivilegeEscalation: true } },
  ],
  ["a file system that can be written", {}, { contained: { readOnlyRootFilesystem: false } }, "same"],
  [
    "a file system that can only be read",
    { readOnlyRootFilesystem: true },
    {},
    { contained: { readOnlyRootFilesystem: true } },
  ],
  [
    "a file system that is said to be read only",
    { readOnlyRootFilesystem: true },
    { contained: { readOnlyRootFilesystem: true } },
    "same",
  ],
  [
    "no file system that can be written",
    { readOnlyRootFilesystem: true },
    { contained: { readOnlyRootFilesystem: false } },
    `${AT}.readOnlyRootFilesystem: Invalid value: false: ReadOnlyRootFilesystem must be set to true`,
  ],
  ["all of /proc", {}, { contained: { procMount: "Unmasked" } }, "same"],
  ["the usual /proc", { allowedProcMountTypes: undefined }, { contained: { procMount: "Default" } }, "same"],
  [
    "the usual /proc alone",
    { allowedProcMountTypes: [] },
    { contained: { procMount: "Unmasked" } },
    `${AT}.procMount: Invalid value: "Unmasked": ProcMountType is not allowed`,
  ],
  [
    "all of /proc, where that must be",
    { allowedProcMountTypes: ["Unmasked"] },
    {},
    `${AT}.procMount: Invalid value: "Default": ProcMountType is not allowed`,
  ],
  ["a port", { hostPorts: undefined }, { container: { ports: [{ containerPort: 80 }] } }, "same"],
  [
    "no port of the host's",
    { hostPorts: undefined },
    { container: { ports: [{ containerPort: 80, hostPort: 80 }] } },
    "spec.containers[0].hostPort: Invalid value: 80: Host port 80 is not allowed to be used. Allowed ports: []",
  ],
  [
    "a port of the host's in its range",
    { hostPorts: [{ min: 80, max: 90 }] },
    { container: { ports: [{ containerPort: 80, hostPort: 90 }] } },
    "same",
  ],
  [
    "a port of the host's out of its ranges",
    {
      hostPorts: [
        { min: 80, max: 90 },
        { min: 5, max: 5 },
      ],
    },
    { container: { ports: [{ containerPort: 80, hostPort: 91 }] } },
    "spec.containers[0].hostPort: Invalid value: 91: Host port 91 is not allowed to be used. Allowed ports: [80-90,5]",
  ],
];

const whole: readonly Row[] = [
  ...(["hostNetwork", "hostPID", "hostIPC"] as const).flatMap((name): Row[] => {
    const what = { hostNetwork: "Host network", hostPID: "Host PID", hostIPC: "Host IPC" }[name];
    return [
      [`a pod with ${name}`, {}, { spec: { [name]: true } }, "same"],
      [
        `no pod with ${name}`,
        { [name]: undefined },
        { spec: { [name]: true } },
        `spec.securityContext.${name}: Invalid value: true: ${what} is not allowed to be used`,
      ],
      [`a pod without ${name}`, { [name]: false }, { spec: { [name]: false } }, "same"],
    ];
  }),
  ["any runtime class", {}, { spec: { runtimeClassName: "a" } }, "same"],
  [
    "a runtime class of its list",
    { runtimeClass: { allowedRuntimeClassNames: ["a"] } },
    { spec: { runtimeClassName: "a" } },
    "same",
  ],
  [
    "any runtime class, where its list says so",
    { runtimeClass: { allowedRuntimeClassNames: ["*"] } },
    { spec: { runtimeClassName: "a" } },
    "same",
  ],
  [
    "no other runtime class",
    { runtimeClass: { allowedRuntimeClassNames: ["a"] } },
    { spec: { runtimeClassName: "b" } },
    'spec.runtimeClassName: Invalid value: "b"',
  ],
  ["no runtime class at all", { runtimeClass: { allowedRuntimeClassNames: [] } }, {}, "same"],
  [
    "its runtime class, where none is named",
    { runtimeClass: { allowedRuntimeClassNames: ["a"], defaultRuntimeClassName: "a" } },
    {},
    { spec: { runtimeClassName: "a" } },
  ],
  [
    "another runtime class than its own",
    { runtimeClass: { allowedRuntimeClassNames: ["a", "b"], defaultRuntimeClassName: "a" } },
    { spec: { runtimeClassName: "b" } },
    "same",
  ],
];

const sysctl = (...names: readonly string[]): PodParts => ({
  security: { sysctls: names.map((name) => ({ name, value: "1" })) },
});
const SYSCTL = "pod.spec.securityContext.sysctls";

const sysctls: readonly Row[] = [
  ...[
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range",
  ].map((name): Row => [`the pod's own ${name}`, { allowedUnsafeSysctls: undefined }, sysctl(name), "same"]),
  [
    "what is the pod's own since another release",
    { allowedUnsafeSysctls: undefined },
    sysctl("net.ipv4.ip_unprivileged_port_start"),
    `${SYSCTL}[0]: Forbidden: unsafe sysctl "net.ipv4.ip_unprivileged_port_start" is not allowed`,
  ],
  [
    "no kernel parameter of others",
    { allowedUnsafeSysctls: undefined },
    sysctl("kernel.msgmax"),
    `${SYSCTL}[0]: Forbidden: unsafe sysctl "kernel.msgmax" is not allowed`,
  ],
  ["a kernel parameter of its list", { allowedUnsafeSysctls: ["kernel.msgmax"] }, sysctl("kernel.msgmax"), "same"],
  [
    "kernel parameters that begin so",
    { allowedUnsafeSysctls: ["kernel.msg*"] },
    sysctl("kernel.msgmax", "kernel.msgmnb"),
    "same",
  ],
  [
    "no kernel parameter that begins otherwise",
    { allowedUnsafeSysctls: ["kernel.msg*"] },
    sysctl("kernel.msgmax", "kernel.sem"),
    `${SYSCTL}[1]: Forbidden: unsafe sysctl "kernel.sem" is not allowed`,
  ],
  ["every kernel parameter", { allowedUnsafeSysctls: ["*"] }, sysctl("kernel.sem"), "same"],
  [
    "no forbidden kernel parameter",
    { forbiddenSysctls: ["kernel.sem"] },
    sysctl("kernel.sem"),
    `${SYSCTL}[0]: Forbidden: sysctl "kernel.sem" is not allowed`,
  ],
  [
    "no forbidden kernel parameter, though it be the pod's own",
    { forbiddenSysctls: ["net.*"] },
    sysctl("net.ipv4.tcp_syncookies"),
    `${SYSCTL}[0]: Forbidden: sysctl "net.ipv4.tcp_syncookies" is not allowed`,
  ],
  [
    "no kernel parameter at all",
    { forbiddenSysctls: ["*"] },
    sysctl("kernel.shm_rmid_forced"),
    `${SYSCTL}[0]: Forbidden: sysctl "kernel.shm_rmid_forced" is not allowed`,
  ],
];

const volume = (source: Omit<coreV1.Volume, "name">): PodParts => ({ spec: { volumes: [{ name: "v", ...source }] } });
const path = (hostPath: string, readOnly?: boolean): PodParts => ({
  ...volume({ hostPath: { path: hostPath } }),
  container: { volumeMounts: [{ name: "v", mountPath: "/m", ...(readOnly !== undefined && { readOnly }) }] },
});
const PATHS: Spec = { allowedHostPaths: [{ pathPrefix: "/var/log" }] };
const READ: Spec = { allowedHostPaths: [{ pathPrefix: "/var/log/", readOnly: true }] };
const VOLUME = "spec.volumes[0]";
const TOKEN = { serviceAccountToken: { path: "token", expirationSeconds: 3607 } };
const ROOTS = { configMap: { name: "orch-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } };
const fieldAt = (at: string, fieldPath: string) => ({
  downwardAPI: { items: [{ path: at, fieldRef: { apiVersion: "v1", fieldPath } }] },
});
const NAMESPACE = fieldAt("namespace", "metadata.namespace");

const volumes: readonly Row[] = [
  ["any volume", {}, volume({ nfs: { server: "s", path: "/" } }), "same"],
  [
    "no volume",
    { volumes: undefined },
    volume({ emptyDir: {} }),
    `${VOLUME}: Invalid value: "emptyDir": emptyDir volumes are not allowed to be used`,
  ],
  ...(["emptyDir", "secret", "configMap", "csi", "hostPath", "persistentVolumeClaim", "downwardAPI"] as const).flatMap(
    (source): Row[] => [
      [`a volume ${source} of its list`, { volumes: ["nfs", source] }, volume({ [source]: {} }), "same"],
      [
        `no volume ${source}`,
        { volumes: ["nfs"] },
        volume({ [source]: {} }),
        `${VOLUME}: Invalid value: "${source}": ${source} volumes are not allowed to be used`,
      ],
    ],
  ),
  [
    "a volume cephfs by the name that lists have for it",
    { volumes: ["cephFS"] },
    volume({ cephfs: { monitors: [] } }),
    "same",
  ],
  ["any path of the host's", {}, path("/etc"), "same"],
  ["a path of the host's from its list", PATHS, path("/var/log"), "same"],
  ["a path of the host's below one of its list", PATHS, path("/var/log/pods/a"), "same"],
  ["a path of the host's in other words", PATHS, path("/var//./lib/../log/x"), "same"],
  [
    "no path of the host's that only begins so",
    PATHS,
    path("/var/logs"),
    `${VOLUME}.hostPath.pathPrefix: Invalid value: "/var/logs": is not allowed to be used`,
  ],
  [
    "no other path of the host's",
    PATHS,
    path("/etc"),
    `${VOLUME}.hostPath.pathPrefix: Invalid value: "/etc": is not allowed to be used`,
  ],
  [
    "no path of the host's that leads out",
    PATHS,
    path("/var/log/../../etc"),
    `${VOLUME}.hostPath.pathPrefix: Invalid value: "/var/log/../../etc": is not allowed to be used`,
  ],
  ["every path of the host's below the root", { allowedHostPaths: [{ pathPrefix: "/" }] }, path("/etc"), "same"],
  ["a path of the host's to be read", READ, path("/var/log/x", true), "same"],
  [
    "no path of the host's to be written",
    READ,
    path("/var/log/x", false),
    "spec.containers[0].volumeMounts[0].readOnly: Invalid value: false: must be read-only",
  ],
  [
    "no path of the host's that may be written",
    READ,
    path("/var/log/x"),
    "spec.containers[0].volumeMounts[0].readOnly: Invalid value: false: must be read-only",
  ],
  [
    "a path of the host's to be written, where any rule allows it",
    { allowedHostPaths: [{ pathPrefix: "/var", readOnly: true }, { pathPrefix: "/var/log" }] },
    path("/var/log"),
    "same",
  ],
  ["any flex driver", {}, volume({ flexVolume: { driver: "a/b" } }), "same"],
  [
    "a flex driver of its list",
    { allowedFlexVolumes: [{ driver: "a/b" }] },
    volume({ flexVolume: { driver: "a/b" } }),
    "same",
  ],
  [
    "no other flex driver",
    { allowedFlexVolumes: [{ driver: "a/b" }] },
    volume({ flexVolume: { driver: "a/c" } }),
    `${VOLUME}.driver: Invalid value: "a/c": Flexvolume driver is not allowed to be used`,
  ],
  ["any CSI driver", {}, volume({ csi: { driver: "d" } }), "same"],
  ["a CSI driver of its list", { allowedCSIDrivers: [{ name: "d" }] }, volume({ csi: { driver: "d" } }), "same"],
  [
    "no other CSI driver",
    { allowedCSIDrivers: [{ name: "d" }] },
    volume({ csi: { driver: "e" } }),
    `${VOLUME}.csi.driver: Invalid value: "e": Inline CSI driver is not allowed to be used`,
  ],
];

describe("a policy lets in", () => {
  test.each([...users, ...groups, ...seLinux, ...capabilities, ...containers, ...whole, ...sysctls, ...volumes])(
    "%s",
    (_what, policy, pod, outcome) => expectOutcome(policyOf(policy), pod, outcome),
  );
});

const allowed = (profiles: string) => ({ [`${SECCOMP}allowedProfileNames`]: profiles });
const given = (profile: string) => ({ ...allowed("*"), [`${SECCOMP}defaultProfileName`]: profile });
const POD_KEY = `${SECCOMP}pod`;
const podProfile = (profile: string): PodParts => ({ annotations: { [POD_KEY]: profile } });
const mayNotBe = (...keys: readonly string[]) =>
  keys.map((key) => `pod.metadata.annotations[${key}]: Forbidden: seccomp may not be set`).join(" ");
const notAllowed = (profile: string, profiles: string, ...keys: readonly string[]) =>
  keys
    .map(
      (key) =>
        `pod.metadata.annotations[${key}]: Forbidden: ${profile} is not an allowed seccomp profile. Valid values are ${profiles}`,
    )
    .join(" ");
const ARMOUR = { ...allowed("*"), [`${APP_ARMOR}allowedProfileNames`]: "runtime/default,localhost/x" };

describe("a policy's annotations let in", () => {
  test.each<AnnotatedRow>([
    ["no seccomp", {}, {}, "same"],
    ["no seccomp that is annotated", {}, podProfile("runtime/default"), mayNotBe(POD_KEY, SECCOMP_OF)],
    [
      "no seccomp of the pod's fields",
      {},
      { security: { seccompProfile: { type: "RuntimeDefault" } } },
      mayNotBe(POD_KEY, SECCOMP_OF),
    ],
    [
      "no seccomp of a container's fields",
      {},
      { contained: { seccompProfile: { type: "Localhost", localhostProfile: "x" } } },
      mayNotBe(SECCOMP_OF),
    ],
    [
      "no seccomp of a container's annotation",
      {},
      { annotations: { [SECCOMP_OF]: "localhost/x" } },
      mayNotBe(SECCOMP_OF),
    ],
    ["any seccomp", allowed("*"), podProfile("localhost/x"), "same"],
    ["seccomp of its list", allowed("runtime/default,localhost/x"), podProfile("localhost/x"), "same"],
    ["seccomp of its list, by its other name", allowed("docker/default"), podProfile("runtime/default"), "same"],
    ["seccomp of its list, by its older name", allowed("runtime/default"), podProfile("docker/default"), "same"],
    [
      "seccomp of its list, by fields",
      allowed("localhost/x"),
      { security: { seccompProfile: { type: "Localhost", localhostProfile: "x" } } },
      "same",
    ],
    [
      "no other seccomp",
      allowed("runtime/default,localhost/x"),
      podProfile("unconfined"),
      notAllowed("unconfined", "runtime/default,localhost/x", POD_KEY, SECCOMP_OF),
    ],
    [
      "no other seccomp of fields",
      allowed("localhost/x"),
      { security: { seccompProfile: { type: "Unconfined" } } },
      notAllowed("unconfined", "localhost/x", POD_KEY, SECCOMP_OF),
    ],
    ["the seccomp that it gives", given("runtime/default"), {}, podProfile("runtime/default")],
    ["the seccomp that it gives by its older name", given("docker/default"), {}, podProfile("docker/default")],
    ["another seccomp than it gives", given("runtime/default"), podProfile("localhost/x"), "same"],
    [
      "another seccomp of fields than it gives",
      given("runtime/default"),
      { security: { seccompProfile: { type: "Unconfined" } } },
      "same",
    ],
    ["any AppArmor", allowed("*"), { annotations: { [APP_ARMOR_OF]: "unconfined" } }, "same"],
    ["AppArmor of its list", ARMOUR, { annotations: { [APP_ARMOR_OF]: "localhost/x" } }, "same"],
    [
      "no other AppArmor",
      ARMOUR,
      { annotations: { [APP_ARMOR_OF]: "unconfined" } },
      `pod.metadata.annotations[${APP_ARMOR_OF}]: Forbidden: unconfined is not an allowed profile. Allowed values: "runtime/default,localhost/x"`,
    ],
    [
      "nothing without AppArmor",
      ARMOUR,
      {},
      `pod.metadata.annotations[${APP_ARMOR_OF}]: Forbidden: AppArmor profile must be set`,
    ],
    [
      "the AppArmor that it gives",
      { ...ARMOUR, [`${APP_ARMOR}defaultProfileName`]: "localhost/x" },
      {},
      { annotations: { [APP_ARMOR_OF]: "localhost/x" } },
    ],
    [
      "another AppArmor than it gives",
      { ...ARMOUR, [`${APP_ARMOR}defaultProfileName`]: "localhost/x" },
      { annotations: { [APP_ARMOR_OF]: "runtime/default" } },
      "same",
    ],
  ])("%s", (_what, annotations, pod, outcome) => expectOutcome(policyOf({}, { annotations }), pod, outcome));
});

describe("a policy that takes secrets takes the token of the pod's account in its newer form:", () => {
  const refused = `${VOLUME}: Invalid value: "projected": projected volumes are not allowed to be used`;
  test.each<[string, readonly coreV1.VolumeProjection[], Outcome]>([
    ["all of it", [TOKEN, ROOTS, NAMESPACE], "same"],
    ["in any order", [NAMESPACE, TOKEN, ROOTS], "same"],
    ["parts of it", [ROOTS], "same"],
    ["nothing of it", [], "same"],
    ["however long it holds", [{ serviceAccountToken: { path: "token", expirationSeconds: 9000 } }], "same"],
    ["not at another path", [{ serviceAccountToken: { path: "t" } }], refused],
    ["not for others", [{ serviceAccountToken: { path: "token", audience: "x" } }], refused],
    ["no other map", [TOKEN, { configMap: { name: "x" } }], refused],
    ["no other field", [TOKEN, fieldAt("namespace", "metadata.name")], refused],
    ["no field at another path", [TOKEN, fieldAt("ns", "metadata.namespace")], refused],
    ["no secret", [TOKEN, ROOTS, NAMESPACE, { secret: { name: "x" } }], refused],
  ])("%s", (_what, sources, outcome) =>
    expectOutcome(policyOf({ volumes: ["secret"] }), volume({ projected: { sources: [...sources] } }), outcome),
  );
});

test("all containers are asked, the first ones too, and each is completed", async () => {
  const initContainers = [{ name: "f", image: "i" }];
  const answer = await askPolicies({
    policies: [policyOf({ runAsUser: { rule: "MustRunAs", ranges: RANGES } })],
    request: { object: podOf({ spec: { initContainers } }) },
  });
  expect(answer.object).toMatchObject({
    spec: {
      initContainers: [{ securityContext: { runAsUser: 10 } }],
      containers: [{ securityContext: { runAsUser: 10 } }],
    },
  });
  const bad = [{ name: "f", image: "i", securityContext: { privileged: true } }];
  const refused = await askPolicies({
    policies: [policyOf({ privileged: false })],
    request: { object: podOf({ spec: { initContainers: bad } }) },
  });
  expect(refused.refusal).toContain("[spec.initContainers[0].securityContext.privileged: Invalid value: true: ");
});

test("the client's object is not modified", async () => {
  const object = podOf({ security: {} });
  const before = structuredClone(object);
  await askPolicies({ policies: [policyOf({ fsGroup: MUST })], request: { object } });
  expect(object).toEqual(before);
});

describe("several policies", () => {
  const strict = (name: string) => policyOf({ privileged: false }, { name });
  const filling = (name: string) => policyOf({ fsGroup: MUST }, { name });
  const open = (name: string) => policyOf({}, { name });
  const chosen = async (
    policies: readonly JsonObject[],
    pod: PodParts,
    mayUse?: (asked: ResourceAttributes) => boolean,
  ) => {
    const { object, refusal } = await askPolicies({
      policies,
      request: { object: podOf(pod) },
      ...(mayUse && { mayUse }),
    });
    return refusal ?? metaOf(object ?? {}).annotations?.[PSP];
  };
  const only =
    (...names: readonly string[]) =>
    ({ name }: ResourceAttributes) =>
      names.includes(name);
  const privileged: PodParts = { contained: { privileged: true } };

  test.each<[string, readonly JsonObject[], PodParts, readonly string[] | undefined, string]>([
    ["the first by name is chosen", [open("b"), open("a")], {}, undefined, "a"],
    ["the first that the pod keeps is chosen", [strict("a"), open("b")], privileged, undefined, "b"],
    ["one that the pod keeps as it is goes before one that changes it", [filling("a"), open("b")], {}, undefined, "b"],
    ["the first that changes it is chosen where none lets it be", [filling("b"), filling("c")], {}, undefined, "b"],
    ["those that may not be used are not chosen", [open("a"), open("b")], {}, ["b"], "b"],
    ["one that changes it may be used where the other may not", [filling("a"), open("b")], {}, ["a"], "a"],
    ["none may be used", [open("a")], {}, [], 'pods "a" is forbidden: PodSecurityPolicy: unable to admit pod: []'],
    [
      "only that is told which may be used",
      [strict("a"), policyOf({ privileged: false, hostPID: false }, { name: "b" })],
      { ...privileged, spec: { hostPID: true } },
      ["b"],
      `pods "a" is forbidden: PodSecurityPolicy: unable to admit pod: [spec.securityContext.hostPID: Invalid value: true: Host PID is not allowed to be used ${AT}.privileged: Invalid value: true: Privileged containers are not allowed]`,
    ],
    [
      "there is none",
      [],
      {},
      undefined,
      'pods "a" is forbidden: PodSecurityPolicy: no providers available to validate pod request',
    ],
    [
      "none can be kept",
      [policyOf({ runAsUser: { rule: "MustRunAs" } }), policyOf({ seLinux: { rule: "MustRunAs" } }, { name: "q" })],
      {},
      undefined,
      'pods "a" is forbidden: PodSecurityPolicy: no providers available to validate pod request',
    ],
    [
      "those that cannot be kept are left out",
      [policyOf({ fsGroup: { rule: "MustRunAs" } }, { name: "a" }), open("b")],
      {},
      undefined,
      "b",
    ],
  ])("%s", async (_what, policies, pod, mayUse, expected) => {
    expect(await chosen(policies, pod, mayUse && only(...mayUse))).toBe(expected);
  });

  test("the account of the pod is asked about before its writer, in the group of policies and where they were before", async () => {
    const asked: string[] = [];
    const mayUse = ({ user, verb, apiGroup, resource, namespace, name }: ResourceAttributes) => {
      asked.push(`${user.name} [${user.groups}] ${verb} ${apiGroup}/${resource} ${namespace}/${name}`);
      return user.name === "ann" && apiGroup === "extensions";
    };
    expect(await chosen([open("a")], { spec: { serviceAccountName: "sa" } }, mayUse)).toBe("a");
    const account = "system:serviceaccount:shop:sa [system:serviceaccounts,system:serviceaccounts:shop] use";
    expect(asked.slice(0, 4)).toEqual([
      `${account} policy/podsecuritypolicies shop/a`,
      `${account} extensions/podsecuritypolicies shop/a`,
      "ann [] use policy/podsecuritypolicies shop/a",
      "ann [] use extensions/podsecuritypolicies shop/a",
    ]);
    asked.length = 0;
    await chosen([open("a")], {}, mayUse);
    expect(asked[0]).toBe("ann [] use policy/podsecuritypolicies shop/a");
  });
});

describe("a pod that is judged once more, or updated,", () => {
  const REFUSED = 'pods "a" is forbidden: PodSecurityPolicy: unable to validate pod: ';
  const validated = (policy: string) => ({ "podsecuritypolicy.policy.orch.io/validate-policy": policy });
  const update = (policies: readonly JsonObject[], object: JsonObject, oldObject: JsonObject) =>
    askPolicies({ policies, request: { operation: "UPDATE", object, oldObject } });
  const image = (name: string): PodParts => ({ container: { image: name } });

  test("is not changed", async () => {
    const [next, old] = [podOf(image("b")), podOf(image("a"))];
    const { object, refusal } = await update([policyOf({ fsGroup: MUST })], next, old);
    expect([object, refusal]).toEqual([undefined, `${REFUSED}[]`]);
    expect(await update([policyOf()], next, old)).toEqual({ object: next, audit: validated("p") });
  });

  test("must keep a policy", async () => {
    const answer = await update(
      [policyOf({ hostPID: false })],
      podOf({ ...image("b"), spec: { hostPID: true } }),
      podOf(image("a")),
    );
    expect(answer.refusal).toBe(
      `${REFUSED}[spec.securityContext.hostPID: Invalid value: true: Host PID is not allowed to be used]`,
    );
  });

  test("is judged by the policy that let it in before all others", async () => {
    const policies = ["a", "b", "c"].map((name) => policyOf({}, { name }));
    const object = podOf({ ...image("b"), annotations: { [PSP]: "b" } });
    expect((await update(policies, object, podOf(image("a")))).audit).toEqual(validated("b"));
    const gone = podOf({ ...image("b"), annotations: { [PSP]: "x" } });
    expect((await update(policies, gone, podOf(image("a")))).audit).toEqual(validated("a"));
  });

  test("may be cleaned up, whatever it is", async () => {
    const old = podOf({ spec: { hostPID: true } });
    const tidied = (metadata: object): JsonObject => ({
      ...old,
      metadata: { ...(old["metadata"] as JsonObject), ...metadata },
    });
    const policies = [policyOf({ hostPID: false })];
    for (const metadata of [{ finalizers: [] }, { ownerReferences: [{ uid: "u" }] }]) {
      const object = tidied(metadata);
      expect(await update(policies, object, old)).toEqual({ object, audit: {} });
    }
    expect((await update(policies, tidied({ labels: { a: "b" } }), old)).refusal).toContain(REFUSED);
  });

  test("is of no concern in its parts, and no other kind is", async () => {
    const object = podOf({ spec: { hostPID: true } });
    for (const parts of [
      { subresource: "status" },
      { subresource: "ephemeralcontainers" },
      { plural: "podtemplates" },
    ]) {
      const request = { operation: "UPDATE", object, oldObject: podOf({}), ...parts } as const;
      expect((await askPolicies({ policies: [], request })).refusal).toBeUndefined();
    }
    expect(await askPolicies({ policies: [], request: { operation: "DELETE", oldObject: object } })).toEqual({
      audit: {},
    });
  });
});

test("a refusal lists a bounded number of findings", async () => {
  const some = Array.from({ length: 5000 }, (_, at) => ({
    name: `c${at}`,
    image: "i",
    securityContext: { privileged: true },
  }));
  let waited = 0;
  const next = async () => {
    waited += 1;
  };
  const { refusal } = await askPolicies({
    policies: [policyOf({ privileged: false })],
    request: { object: podOf({ spec: { containers: some } }) },
    dependencies: { yielder: { isOver: true, next } },
  });
  expect(refusal).toContain("spec.containers[99].securityContext.privileged");
  expect(refusal).not.toContain("spec.containers[100].securityContext.privileged");
  expect(waited).toBeGreaterThan(5000);
});
