// Linux capabilities of containers. Source: pkg/security/podsecuritypolicy/capabilities/capabilities.go.
import type { coreV1, policyV1beta1 } from "@orch/schema";
import type { Findings } from "./findings";

const ANY = "*";

export class CapabilitiesStrategy {
  private readonly added: readonly string[];
  private readonly dropped: readonly string[];
  private readonly allowed: ReadonlySet<string>;

  constructor(spec: policyV1beta1.PodSecurityPolicySpec) {
    this.added = spec.defaultAddCapabilities ?? [];
    this.dropped = spec.requiredDropCapabilities ?? [];
    this.allowed = new Set([...(spec.allowedCapabilities ?? []), ...this.added]);
  }

  /**
   * Returns the container's capabilities with the policy's defaults added. @returns `stated` itself when nothing is
   * added
   */
  given(stated: coreV1.Capabilities | undefined): coreV1.Capabilities | undefined {
    const [add, drop] = [new Set(stated?.add ?? []), new Set(stated?.drop ?? [])];
    const [adds, drops] = [add.size, drop.size];
    for (const each of this.added) if (!drop.has(each)) add.add(each);
    for (const each of this.dropped) drop.add(each);
    if (add.size === adds && drop.size === drops) return stated;
    return { ...(add.size > 0 && { add: [...add].sort() }), ...(drop.size > 0 && { drop: [...drop].sort() }) };
  }

  check(stated: coreV1.Capabilities | undefined, path: string, findings: Findings): void {
    if (stated === undefined) {
      if (this.added.length + this.dropped.length === 0) return;
      findings.invalid(path, null, "required capabilities are not set on the securityContext");
      return;
    }
    if (this.allowed.has(ANY)) return;
    for (const each of stated.add ?? []) {
      if (!this.allowed.has(each)) findings.invalid(`${path}.add`, each, "capability may not be added");
      if (findings.isFull) return;
    }
    const drops = new Set(stated.drop ?? []);
    for (const each of this.dropped) {
      if (drops.has(each)) continue;
      findings.invalid(`${path}.drop`, stated.drop, `${each} is required to be dropped but was not found`);
    }
  }
}
