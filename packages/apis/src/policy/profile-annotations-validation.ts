// Validation of the annotations with default and allowed profiles of a policy. Source:
// pkg/apis/policy/validation/validation.go.
import { isAppArmorProfile, isSeccompProfile } from "../core/pods/security-profiles-validation";
import type { Rule } from "../model/rules/rule";

const ANY = "*";

export const profileAnnotations: Rule<Readonly<Record<string, string>>> = (annotations, at, report) => {
  const keys = report.vocabulary.annotations;
  check(keys.apparmorSecurityBetaDefaultProfileName, (text) => isAppArmorProfile(text), "AppArmor");
  check(keys.apparmorSecurityBetaAllowedProfileNames, (text) => text.split(",").every(isAppArmorProfile), "AppArmor");
  check(keys.seccompSecurityAlphaDefaultProfileName, (text) => isSeccompProfile(text), "seccomp");
  check(keys.seccompSecurityAlphaAllowedProfileNames, (text) => text.split(",").every(isSeccompOrAny), "seccomp");

  function check(key: string, fits: (text: string) => boolean, what: string): void {
    const text = annotations[key];
    if (text !== undefined && !fits(text)) report.invalid(at.key(key), text, `must be a valid ${what} profile`);
  }
};

const isSeccompOrAny = (text: string): boolean => text === ANY || isSeccompProfile(text);
