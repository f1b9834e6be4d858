// Where the files of a pod may come from. Source: facts, validation/policy.md "spec.volumes", "spec.allowedHostPaths".
import type { coreV1, policyV1beta1 } from "@orch/schema";
import { containersOf } from "./containers";
import type { Findings } from "./findings";

const ANY = "*";
/** In a policy, for what a volume calls `cephfs`. */
const NAMES: Readonly<Record<string, string>> = { cephfs: "cephFS" };

export class VolumeStrategy {
  private readonly sources: ReadonlySet<string>;

  constructor(private readonly spec: policyV1beta1.PodSecurityPolicySpec) {
    this.sources = new Set(spec.volumes ?? []);
  }

  check(pod: coreV1.PodSpec, findings: Findings): void {
    for (const [position, volume] of (pod.volumes ?? []).entries()) {
      const path = `spec.volumes[${position}]`;
      const source = sourceOf(volume);
      if (!this.sources.has(ANY) && !this.sources.has(source) && !this.isAccountToken(volume)) {
        findings.invalid(path, source, `${source} volumes are not allowed to be used`);
      } else {
        this.checkHostPath(volume, pod, path, findings);
        this.checkDriver(volume, path, findings);
      }
      if (findings.isFull) return;
    }
  }

  /** Which the server itself adds to pods: it was a secret once, and is made of several sources now. */
  private isAccountToken({ projected }: coreV1.Volume): boolean {
    if (projected === undefined || !this.sources.has("secret")) return false;
    return (projected.sources ?? []).every(
      ({ serviceAccountToken, configMap, downwardAPI, secret }) =>
        secret === undefined && [serviceAccountToken, configMap, downwardAPI].some((each) => each !== undefined),
    );
  }

  private checkHostPath(
    { name, hostPath }: coreV1.Volume,
    pod: coreV1.PodSpec,
    path: string,
    findings: Findings,
  ): void {
    const allowed = this.spec.allowedHostPaths ?? [];
    if (hostPath === undefined || allowed.length === 0) return;
    const fitting = allowed.filter(({ pathPrefix = "" }) => isBelow(hostPath.path, pathPrefix));
    if (fitting.length === 0) {
      findings.invalid(`${path}.hostPath.pathPrefix`, hostPath.path, "is not allowed to be used");
      return;
    }
    if (fitting.some(({ readOnly }) => readOnly !== true)) return;
    for (const { container, path: at } of containersOf(pod)) {
      for (const [position, mount] of (container.volumeMounts ?? []).entries()) {
        if (mount.name !== name || mount.readOnly === true) continue;
        findings.invalid(`${at}.volumeMounts[${position}].readOnly`, false, "must be read-only");
      }
      if (findings.isFull) return;
    }
  }

  private checkDriver({ flexVolume, csi }: coreV1.Volume, path: string, findings: Findings): void {
    const { allowedFlexVolumes = [], allowedCSIDrivers = [] } = this.spec;
    const { driver: flex } = flexVolume ?? {};
    if (
      flex !== undefined &&
      allowedFlexVolumes.length > 0 &&
      !allowedFlexVolumes.some(({ driver }) => driver === flex)
    ) {
      findings.invalid(`${path}.driver`, flex, "Flexvolume driver is not allowed to be used");
    }
    if (
      csi !== undefined &&
      allowedCSIDrivers.length > 0 &&
      !allowedCSIDrivers.some(({ name }) => name === csi.driver)
    ) {
      findings.invalid(`${path}.csi.driver`, csi.driver, "Inline CSI driver is not allowed to be used");
    }
  }
}

function sourceOf(volume: coreV1.Volume): string {
  const source = Object.keys(volume).find((key) => key !== "name") ?? "";
  return NAMES[source] ?? source;
}

function isBelow(path: string, prefix: string): boolean {
  const [one, other] = [cleaned(path), cleaned(prefix)];
  return one === other || one.startsWith(other.endsWith("/") ? other : `${other}/`);
}

/** Without what a path says twice: `//`, `.` and `..`. */
function cleaned(path: string): string {
  const kept: string[] = [];
  const isRooted = path.startsWith("/");
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") kept.push(part);
    else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!isRooted) kept.push(part);
  }
  return isRooted ? `/${kept.join("/")}` : kept.join("/") || ".";
}
