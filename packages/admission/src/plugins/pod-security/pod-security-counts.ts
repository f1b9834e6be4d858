// Metrics of pod security decisions. Source: KEP-2579, "Pod Security Admission Control", monitoring requirements.
import type { AdmissionRequest } from "@orch/machinery";
import type { PodSecurityObserver, PodSecurityTarget } from "../../contract/pod-security-observer";
import type { Mode } from "./configuration";
import { isFuture, type LevelVersion } from "./level-version";

export class PodSecurityCounts {
  constructor(
    private readonly observer: PodSecurityObserver,
    private readonly newest: string,
  ) {}

  evaluated(request: AdmissionRequest, decision: "allow" | "deny", mode: Mode, policy: LevelVersion): void {
    const { operation, resource, subresource } = targetOf(request);
    const { level } = policy;
    const version = this.versionOf(policy);
    this.observer.evaluated({ operation, resource, subresource, decision, level, version, mode });
  }

  exempted(request: AdmissionRequest): void {
    this.observer.exempted(targetOf(request));
  }

  failed(request: AdmissionRequest, fatal: boolean): void {
    this.observer.failed({ ...targetOf(request), fatal });
  }

  private versionOf({ level, version }: LevelVersion): string {
    if (level === "privileged") return "latest";
    return isFuture(version, this.newest) ? "future" : version;
  }
}

const RESOURCES: Readonly<Record<string, PodSecurityTarget["resource"]>> = { pods: "pod", namespaces: "namespace" };

const targetOf = ({ operation, definition, subresource }: AdmissionRequest): PodSecurityTarget => ({
  operation: operation === "UPDATE" ? "update" : "create",
  resource: RESOURCES[definition.plural] ?? "controller",
  subresource,
});
