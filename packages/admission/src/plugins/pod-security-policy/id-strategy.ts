// User and group ids that a policy allows. Source: pkg/security/podsecuritypolicy/user/mustrunas.go,
// pkg/security/podsecuritypolicy/group/mustrunas.go.
import type { policyV1beta1 } from "@orch/schema";
import type { Findings } from "./findings";

/** 64-bit integer as decoded from JSON. */
type Id = number | bigint;

type Ranges = readonly policyV1beta1.IDRange[];

export interface UserStrategy {
  /** Default user of containers that set none. */
  readonly given: Id | undefined;
  /** Whether containers without a user must set runAsNonRoot. */
  readonly marksNonRoot: boolean;
  check(user: Id | undefined, isNonRoot: boolean | undefined, path: string, findings: Findings): void;
}

export interface GroupStrategy {
  /** Default group of pods that set none. */
  readonly given: Id | undefined;
  check(groups: readonly Id[], path: string, findings: Findings): void;
}

/** Creates the strategy. @returns undefined for an invalid policy */
export function userStrategy({ rule, ranges = [] }: policyV1beta1.RunAsUserStrategyOptions): UserStrategy | undefined {
  switch (rule) {
    case "RunAsAny":
      return { given: undefined, marksNonRoot: false, check() {} };
    case "MustRunAsNonRoot":
      return { given: undefined, marksNonRoot: true, check: checkNonRoot };
    case "MustRunAs": {
      const [first] = ranges;
      if (first === undefined) return undefined;
      return {
        given: first.min,
        marksNonRoot: false,
        check(user, _isNonRoot, path, findings) {
          const at = `${path}.runAsUser`;
          if (user === undefined) findings.required(at);
          else if (!isWithin(user, ranges)) findings.invalid(at, user, `must be in the ranges: ${rangesText(ranges)}`);
        },
      };
    }
    default:
      return undefined;
  }
}

const checkNonRoot: UserStrategy["check"] = (user, isNonRoot, path, findings) => {
  if (isNonRoot === undefined && user === undefined) findings.required(`${path}.runAsNonRoot`, "must be true");
  else if (isNonRoot === false) findings.invalid(`${path}.runAsNonRoot`, false, "must be true");
  else if (user === 0) findings.invalid(`${path}.runAsUser`, user, "running with the root UID is forbidden");
};

const ANY_GROUP: GroupStrategy = { given: undefined, check() {} };

interface GroupOptions {
  readonly rule?: string;
  readonly ranges?: Ranges;
}

/**
 * Creates the strategy.
 * @param options absent: any group
 * @returns undefined for an invalid policy
 */
export function groupStrategy(options: GroupOptions = { rule: "RunAsAny" }): GroupStrategy | undefined {
  const { rule, ranges = [] } = options;
  if (rule === "RunAsAny") return ANY_GROUP;
  const [first] = ranges;
  if ((rule !== "MustRunAs" && rule !== "MayRunAs") || first === undefined) return undefined;
  const isRequired = rule === "MustRunAs";
  return {
    given: isRequired ? first.min : undefined,
    check(groups, path, findings) {
      if (isRequired && groups.length === 0) {
        findings.invalid(path, groups, "unable to validate empty groups against required ranges");
      }
      for (const group of groups) {
        if (isWithin(group, ranges)) continue;
        findings.invalid(path, groups, `group ${group} must be in the ranges: ${rangesText(ranges)}`);
        if (findings.isFull) return;
      }
    },
  };
}

const isWithin = (id: Id, ranges: Ranges): boolean => ranges.some(({ min, max }) => id >= min && id <= max);

const rangesText = (ranges: Ranges): string => `[${ranges.map(({ min, max }) => `{${min} ${max}}`).join(" ")}]`;
