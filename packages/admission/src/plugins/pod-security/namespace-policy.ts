// Policy of a namespace, from its labels. Invalid labels make enforcement restricted and the other modes privileged.
// Source: KEP-2579, "Pod Security Admission Control".
import { type FieldError, field, fieldPath } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import { MODES, type Mode, type ModePolicies } from "./configuration";
import {
  isLevel,
  isPolicyVersion,
  isStricter,
  LATEST,
  LEVEL_RULE,
  type Level,
  type LevelVersion,
  levelVersionText,
  VERSION_RULE,
} from "./level-version";

export type Labels = Readonly<Record<string, string>>;

export interface NamespacePolicy {
  readonly modes: ModePolicies;
  /** Errors of invalid labels. */
  readonly errors: readonly FieldError[];
}

/** Label keys for level and version of each mode. */
export type PolicyLabels = Readonly<Record<Mode, { readonly level: string; readonly version: string }>>;

export const policyLabels = ({ labels }: Vocabulary): PolicyLabels => ({
  enforce: { level: labels.podSecurityEnforce, version: labels.podSecurityEnforceVersion },
  audit: { level: labels.podSecurityAudit, version: labels.podSecurityAuditVersion },
  warn: { level: labels.podSecurityWarn, version: labels.podSecurityWarnVersion },
});

const LEVEL_OF_UNREADABLE: Readonly<Record<Mode, Level>> = {
  enforce: "restricted",
  audit: "privileged",
  warn: "privileged",
};

export function namespacePolicy(labels: Labels, keys: PolicyLabels, defaults: ModePolicies): NamespacePolicy {
  const errors: FieldError[] = [];
  const read = <Value extends string>(key: string, absent: Value, reading: Reading<Value>): Value => {
    const text = labels[key];
    if (text === undefined) return absent;
    if (reading.fits(text)) return text as Value;
    errors.push(field.invalid(fieldPath.key("metadata.labels", key), text, reading.rule));
    return reading.unreadable;
  };
  const policyOf = (mode: Mode): LevelVersion => ({
    level: read(keys[mode].level, defaults[mode].level, {
      fits: isLevel,
      rule: LEVEL_RULE,
      unreadable: LEVEL_OF_UNREADABLE[mode],
    }),
    version: read(keys[mode].version, defaults[mode].version, VERSION),
  });
  const [enforce, audit, warn] = [policyOf("enforce"), policyOf("audit"), policyOf("warn")];
  const isWarned = keys.warn.level in labels || !isLevel(labels[keys.enforce.level] ?? "");
  return {
    modes: { enforce, audit, warn: isWarned ? warn : asEnforced(enforce, warn, keys.warn.version in labels) },
    errors,
  };
}

interface Reading<Value> {
  readonly fits: (text: string) => boolean;
  readonly rule: string;
  readonly unreadable: Value;
}

const VERSION: Reading<string> = { fits: isPolicyVersion, rule: VERSION_RULE, unreadable: LATEST };

/** Returns the warn policy: at least as strict as the enforce policy, unless a label sets it. */
function asEnforced(enforce: LevelVersion, warn: LevelVersion, hasVersion: boolean): LevelVersion {
  if (!isStricter(enforce.level, warn.level)) return warn;
  return { level: enforce.level, version: hasVersion ? warn.version : enforce.version };
}

export const isFullyPrivileged = (modes: ModePolicies): boolean =>
  MODES.every((mode) => modes[mode].level === "privileged");

/** Formats the modes set by labels: `enforce=restricted:latest, warn=baseline:v1.23`. */
export function statedPolicyText(modes: ModePolicies, labels: Labels, keys: PolicyLabels): string {
  return MODES.filter((mode) => modes[mode].level !== "privileged")
    .filter((mode) => keys[mode].level in labels || keys[mode].version in labels)
    .map((mode) => `${mode}=${levelVersionText(modes[mode])}`)
    .join(", ");
}
