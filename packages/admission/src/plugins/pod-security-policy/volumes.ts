// Volume types and host paths that a policy allows. Source: pkg/security/podsecuritypolicy/provider.go,
// pkg/security/podsecuritypolicy/util/util.go.
import type { coreV1, policyV1beta1 } from "@orch/schema";
import { containersOf } from "./containers";
import type { Findings } from "./findings";

const ANY = "*";
/** Names in policies that differ from the volume field. */
const NAMES: Readonly<Record<string, string>> = { cephfs: "cephFS" };

export class VolumeStrategy {
  private readonly sources: ReadonlySet<string>;

  /** @param dependencies.rootCertificates name of the config map that every namespace has */
  constructor(
    private readonly spec: policyV1beta1.PodSecurityPolicySpec,
    private readonly dependencies: { readonly rootCertificates: string },
  ) {
    this.sources = new Set(spec.volumes ?? []);
  }

  check(pod: coreV1.PodSpec, findings: Findings): void {
    const mounts = new WritableMounts(pod);
    for (const [position, volume] of (pod.volumes ?? []).entries()) {
      const path = `spec.volumes[${position}]`;
      const source = sourceOf(volume);
      if (!this.sources.has(ANY) && !this.sources.has(source) && !this.isAccountToken(volume)) {
        findings.invalid(path, source, `${source} volumes are not allowed to be used`);
      } else {
        this.checkHostPath(volume, mounts, path, findings);
        this.checkDriver(volume, path, findings);
      }
      if (findings.isFull) return;
    }
  }

  /**
   * Returns whether the volume is the token volume that the server adds to pods. It is projected, and a policy that
   * allows secrets allows it, because it was a secret in earlier releases.
   */
  private isAccountToken({ projected }: coreV1.Volume): boolean {
    if (projected === undefined || !this.sources.has("secret")) return false;
    return (projected.sources ?? []).every((source) => this.isPartOfToken(source));
  }

  private isPartOfToken({ serviceAccountToken, configMap, downwardAPI, secret }: coreV1.VolumeProjection): boolean {
    if (secret !== undefined) return false;
    if (serviceAccountToken !== undefined) return serviceAccountToken.path === "token" && !serviceAccountToken.audience;
    if (configMap !== undefined) return configMap.name === this.dependencies.rootCertificates;
    return (downwardAPI?.items ?? []).every(
      ({ path, fieldRef }) => path === "namespace" && fieldRef?.fieldPath === "metadata.namespace",
    );
  }

  private checkHostPath(
    { name, hostPath }: coreV1.Volume,
    mounts: WritableMounts,
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
    for (const at of mounts.of(name)) findings.invalid(`${at}.readOnly`, false, "must be read-only");
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

/** Writable mounts of volumes, computed once for all volumes. */
class WritableMounts {
  private found: Map<string, string[]> | undefined;

  constructor(private readonly pod: coreV1.PodSpec) {}

  of(volume: string): readonly string[] {
    this.found ??= this.find();
    return this.found.get(volume) ?? [];
  }

  private find(): Map<string, string[]> {
    const found = new Map<string, string[]>();
    for (const { container, path } of containersOf(this.pod)) {
      for (const [position, { name, readOnly }] of (container.volumeMounts ?? []).entries()) {
        if (readOnly === true) continue;
        const at = `${path}.volumeMounts[${position}]`;
        const known = found.get(name);
        if (known === undefined) found.set(name, [at]);
        else known.push(at);
      }
    }
    return found;
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

/** Removes `//`, `.` and `..` from a path. */
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
