// Validation of AppArmor profiles. Source: pkg/apis/core/validation/validation.go.

import type { Place, Report, Rule } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import { LOCAL_PROFILE_MAX } from "./app-armor";

const TYPES = ["Localhost", "RuntimeDefault", "Unconfined"] as const;
const LOCAL = "localhost/";

export const appArmorProfile: Rule<coreV1.AppArmorProfile> = ({ type, localhostProfile: name }, at, report) => {
  if (!report.features.isOn("AppArmorFields")) return;
  const place = at.field("localhostProfile");
  if (!type) report.required(at.field("type"), "type is required when appArmorProfile is set");
  else if (!(TYPES as readonly string[]).includes(type)) report.notSupported(at.field("type"), type, TYPES);
  else if (type === "Localhost") localProfile(name, place, report);
  else if (name !== undefined) report.invalid(place, name, "can only be set when AppArmor type is Localhost");
};

function localProfile(name: string | undefined, at: Place, report: Report): void {
  if (name === undefined || name === "") report.required(at, "must be set when AppArmor type is Localhost");
  else if (name.trim() !== name) report.invalid(at, name, "must not be padded with whitespace");
  else if (name.length > LOCAL_PROFILE_MAX) report.tooLong(at, LOCAL_PROFILE_MAX);
}

/** Requires that the annotation and the field of a container agree when a new pod has both. */
export const appArmorAgreement: Rule<coreV1.Pod> = ({ metadata, spec }, at, report) => {
  const annotations = metadata?.annotations;
  if (annotations === undefined || spec === undefined || spec.os?.name === "windows") return;
  if (!report.features.isOn("AppArmorFields")) return;
  const prefix = report.vocabulary.annotations.containerApparmorSecurityBeta;
  for (const list of ["containers", "initContainers"] as const) {
    spec[list]?.forEach(({ name, securityContext }, position) => {
      const text = annotations[`${prefix}${name}`];
      const profile = securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
      if (text === undefined || profile === undefined) return;
      const place = at.field("spec").field(list).item(position).field("securityContext").field("appArmorProfile");
      agreement(text, profile, place, report);
    });
  }
};

function agreement(text: string, { type, localhostProfile }: coreV1.AppArmorProfile, at: Place, report: Report): void {
  if (type !== typeOf(text)) {
    report.forbidden(at.field("type"), "apparmor type in annotation and field must match");
  } else if (type === "Localhost" && text.slice(LOCAL.length) !== localhostProfile) {
    report.forbidden(at.field("localhostProfile"), "apparmor profile in annotation and field must match");
  }
}

function typeOf(text: string): string | undefined {
  if (text.startsWith(LOCAL)) return "Localhost";
  if (text === "unconfined") return "Unconfined";
  return text === "runtime/default" ? "RuntimeDefault" : undefined;
}
