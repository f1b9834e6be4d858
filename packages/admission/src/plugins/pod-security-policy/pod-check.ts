// Validates a pod against a policy. Source: pkg/security/podsecuritypolicy/provider.go.
import type { coreV1 } from "@orch/schema";
import type { EventLoopYielder } from "../../contract/dependencies";
import { containersOf, type PlacedContainer } from "./containers";
import { Findings } from "./findings";
import { effective, type Policy } from "./policy";

const ANY = "*";

export async function checkPod(pod: coreV1.Pod, policy: Policy, yielder: EventLoopYielder): Promise<Findings> {
  const findings = new Findings();
  const { spec } = pod;
  if (spec === undefined) return findings;
  checkWhole(pod, spec, policy, findings);
  policy.volumes.check(spec, findings);
  checkRuntimeClass(spec.runtimeClassName, policy, findings);
  for (const each of containersOf(spec)) {
    if (findings.isFull) return findings;
    if (yielder.isOver) await yielder.next();
    checkContainer(pod, each, policy, findings);
  }
  return findings;
}

const AT = "spec.securityContext";

/** Host namespaces; pods and policies use the same field names. */
const HOST = [
  ["hostNetwork", "Host network is not allowed to be used"],
  ["hostPID", "Host PID is not allowed to be used"],
  ["hostIPC", "Host IPC is not allowed to be used"],
] as const;

function checkWhole(pod: coreV1.Pod, spec: coreV1.PodSpec, policy: Policy, findings: Findings): void {
  const { fsGroup, supplementalGroups = [], seLinuxOptions, sysctls = [] } = spec.securityContext ?? {};
  policy.fsGroup.check(fsGroup === undefined ? [] : [fsGroup], `${AT}.fsGroup`, findings);
  policy.supplementalGroups.check(supplementalGroups, `${AT}.supplementalGroups`, findings);
  policy.seccomp.checkPod(pod, findings);
  policy.seLinux.check(seLinuxOptions, `${AT}.seLinuxOptions`, findings);
  for (const [name, detail] of HOST) {
    if (spec[name] === true && policy.spec[name] !== true) findings.invalid(`${AT}.${name}`, true, detail);
  }
  policy.sysctls.check(sysctls, findings);
}

function checkRuntimeClass(name: string | undefined, { spec }: Policy, findings: Findings): void {
  if (name === undefined || spec.runtimeClass === undefined) return;
  const allowed = spec.runtimeClass.allowedRuntimeClassNames ?? [];
  if (!allowed.includes(ANY) && !allowed.includes(name)) findings.invalid("spec.runtimeClassName", name, "");
}

function checkContainer(
  pod: coreV1.Pod,
  { container, path: of }: PlacedContainer,
  policy: Policy,
  findings: Findings,
): void {
  const own = container.securityContext;
  const path = `${of}.securityContext`;
  const { runAsUser, runAsGroup, runAsNonRoot, seLinuxOptions } = effective(pod.spec?.securityContext, own);
  policy.runAsUser.check(runAsUser, runAsNonRoot, path, findings);
  // The path is that of the container, not of the field, as in Kubernetes.
  policy.runAsGroup.check(runAsGroup === undefined ? [] : [runAsGroup], path, findings);
  policy.seLinux.check(seLinuxOptions, `${path}.seLinuxOptions`, findings);
  policy.appArmor.check(pod, container.name, findings);
  policy.seccomp.checkContainer(pod, container, findings);
  if (own?.privileged === true && policy.spec.privileged !== true) {
    findings.invalid(`${path}.privileged`, true, "Privileged containers are not allowed");
  }
  checkProcMount(own?.procMount ?? "Default", path, policy, findings);
  policy.capabilities.check(own?.capabilities, `${path}.capabilities`, findings);
  checkHostPorts(container, of, policy, findings);
  checkRootFilesystem(own?.readOnlyRootFilesystem, path, policy, findings);
  if (policy.spec.allowPrivilegeEscalation === false && own?.allowPrivilegeEscalation !== false) {
    const detail = "Allowing privilege escalation for containers is not allowed";
    findings.invalid(`${path}.allowPrivilegeEscalation`, own?.allowPrivilegeEscalation, detail);
  }
}

function checkProcMount(mount: string, path: string, { spec }: Policy, findings: Findings): void {
  const { allowedProcMountTypes: stated = [] } = spec;
  const allowed: readonly string[] = stated.length === 0 ? ["Default"] : stated;
  if (!allowed.includes(mount)) findings.invalid(`${path}.procMount`, mount, "ProcMountType is not allowed");
}

function checkHostPorts({ ports = [] }: coreV1.Container, path: string, { spec }: Policy, findings: Findings): void {
  const ranges = spec.hostPorts ?? [];
  for (const { hostPort = 0 } of ports) {
    if (hostPort <= 0 || ranges.some(({ min, max }) => hostPort >= min && hostPort <= max)) continue;
    const allowed = ranges.map(({ min, max }) => (min === max ? `${min}` : `${min}-${max}`)).join(",");
    const detail = `Host port ${hostPort} is not allowed to be used. Allowed ports: [${allowed}]`;
    findings.invalid(`${path}.hostPort`, hostPort, detail);
    if (findings.isFull) return;
  }
}

function checkRootFilesystem(
  isReadOnly: boolean | undefined,
  path: string,
  { spec }: Policy,
  findings: Findings,
): void {
  if (spec.readOnlyRootFilesystem !== true || isReadOnly === true) return;
  const at = `${path}.readOnlyRootFilesystem`;
  if (isReadOnly === false) findings.invalid(at, false, "ReadOnlyRootFilesystem must be set to true");
  else findings.invalid(at, null, "ReadOnlyRootFilesystem may not be nil and must be set to true");
}
