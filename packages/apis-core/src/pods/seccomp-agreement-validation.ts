// Validation of seccomp profiles: annotations and fields must agree when both are set. Source:
// pkg/apis/core/validation/validation.go.

import type { Place, Report, Rule } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";

export const seccompAgreement: Rule<coreV1.Pod> = ({ metadata, spec }, at, report) => {
  const annotations = metadata?.annotations;
  if (annotations === undefined || spec === undefined) return;
  const { seccompSecurityAlphaPod: ofPod, containerSeccompSecurityAlpha: ofContainer } = report.vocabulary.annotations;
  const place = at.field("spec");
  agreement(annotations[ofPod], spec.securityContext, place, report);
  for (const list of ["containers", "initContainers"] as const) {
    spec[list]?.forEach(({ name, securityContext }, position) => {
      agreement(annotations[`${ofContainer}${name}`], securityContext, place.field(list).item(position), report);
    });
  }
};

interface Profiled {
  readonly seccompProfile?: coreV1.SeccompProfile;
}

const LOCALHOST = "localhost/";

function agreement(annotation: string | undefined, context: Profiled | undefined, at: Place, report: Report): void {
  const profile = context?.seccompProfile;
  if (annotation === undefined || profile === undefined) return;
  const place = at.field("securityContext").field("seccompProfile");
  const path = annotation.startsWith(LOCALHOST) ? annotation.slice(LOCALHOST.length) : undefined;
  if (profile.type !== typeOf(annotation)) {
    report.forbidden(place.field("type"), "seccomp type in annotation and field must match");
  } else if (path !== undefined && path !== profile.localhostProfile) {
    report.forbidden(place.field("localhostProfile"), "seccomp profile in annotation and field must match");
  }
}

function typeOf(annotation: string): string | undefined {
  if (annotation.startsWith(LOCALHOST)) return "Localhost";
  if (annotation === "unconfined") return "Unconfined";
  return annotation === "runtime/default" || annotation === "docker/default" ? "RuntimeDefault" : undefined;
}
