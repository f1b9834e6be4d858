// SELinux options of pods and containers. Source: pkg/security/podsecuritypolicy/selinux/mustrunas.go.
import type { coreV1, policyV1beta1 } from "@orch/schema";
import type { Findings } from "./findings";

export interface SELinuxStrategy {
  /** Default options of pods and containers that set none. */
  readonly given: coreV1.SELinuxOptions | undefined;
  check(options: coreV1.SELinuxOptions | undefined, path: string, findings: Findings): void;
}

/** Creates the strategy. @returns undefined for an invalid policy */
export function seLinuxStrategy({
  rule,
  seLinuxOptions: given,
}: policyV1beta1.SELinuxStrategyOptions): SELinuxStrategy | undefined {
  if (rule === "RunAsAny") return { given: undefined, check() {} };
  if (rule !== "MustRunAs" || given === undefined) return undefined;
  return {
    given,
    check(options, path, findings) {
      if (options === undefined) {
        findings.required(path);
        return;
      }
      if (!isSameLevel(given.level ?? "", options.level ?? "")) {
        findings.invalid(`${path}.level`, options.level ?? "", `must be ${given.level ?? ""}`);
      }
      for (const part of ["role", "type", "user"] as const) {
        const [wanted = "", found = ""] = [given[part], options[part]];
        if (wanted !== found) findings.invalid(`${path}.${part}`, found, `must be ${wanted}`);
      }
    },
  };
}

/** Compares levels. The order of categories does not matter. */
function isSameLevel(one: string, other: string): boolean {
  if (one === other) return true;
  const [sensitivity, categories] = partsOf(one);
  const [otherSensitivity, otherCategories] = partsOf(other);
  return sensitivity === otherSensitivity && categories === otherCategories;
}

function partsOf(level: string): readonly [string, string] {
  const at = level.indexOf(":");
  if (at < 0) return [level, ""];
  return [
    level.slice(0, at),
    level
      .slice(at + 1)
      .split(",")
      .sort()
      .join(","),
  ];
}
