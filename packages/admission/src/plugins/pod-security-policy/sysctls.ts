// Sysctls that a pod may set. Source: pkg/security/podsecuritypolicy/sysctl/mustmatchpatterns.go.
import { type coreV1, existsIn, type policyV1beta1 } from "@orch/schema";
import type { Findings } from "./findings";

const ANY = "*";
const AT = "pod.spec.securityContext.sysctls";

/** Namespaced sysctls that are safe, with the release since which they are. */
const SAFE: readonly { readonly name: string; readonly since?: string }[] = [
  { name: "kernel.shm_rmid_forced" },
  { name: "net.ipv4.ip_local_port_range" },
  { name: "net.ipv4.tcp_syncookies" },
  { name: "net.ipv4.ping_group_range" },
  { name: "net.ipv4.ip_unprivileged_port_start", since: "1.22" },
];

export class SysctlStrategy {
  private readonly safe: ReadonlySet<string>;

  constructor(
    private readonly spec: policyV1beta1.PodSecurityPolicySpec,
    release: string,
  ) {
    this.safe = new Set(SAFE.filter((each) => existsIn(each, release)).map(({ name }) => name));
  }

  check(sysctls: readonly coreV1.Sysctl[], findings: Findings): void {
    const { forbiddenSysctls = [], allowedUnsafeSysctls = [] } = this.spec;
    for (const [position, { name }] of sysctls.entries()) {
      const path = `${AT}[${position}]`;
      const text = JSON.stringify(name);
      if (isAmong(name, forbiddenSysctls)) findings.forbidden(path, `sysctl ${text} is not allowed`);
      else if (!this.safe.has(name) && !isAmong(name, allowedUnsafeSysctls)) {
        findings.forbidden(path, `unsafe sysctl ${text} is not allowed`);
      }
      if (findings.isFull) return;
    }
  }
}

const isAmong = (name: string, patterns: readonly string[]): boolean =>
  patterns.some((each) => (each.endsWith(ANY) ? name.startsWith(each.slice(0, -1)) : each === name));
