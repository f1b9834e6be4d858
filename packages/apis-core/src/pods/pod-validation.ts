// Validation of pods. Source: pkg/apis/core/validation/validation.go.

import { all, type Rule, validator } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import { appArmorAgreement } from "../containers/app-armor-validation";
import { initResizePolicies } from "../containers/resize-policy-validation";
import { ephemeralClaimNames } from "../volumes/volumes-validation";
import { plainImages } from "./plain-images-validation";
import { podAnnotations } from "./pod-annotations-validation";
import { podSpec } from "./pod-spec-validation";
import { ungatedNode } from "./scheduling-gates-validation";
import { seccompAgreement } from "./seccomp-agreement-validation";

const NO_SPEC: coreV1.PodSpec = { containers: null };

/** A static pod, of which the server holds a mirror, cannot have resource claims. */
const claimsOfMirror: Rule<coreV1.Pod> = ({ spec, metadata }, at, report) => {
  if (!spec?.resourceClaims?.length || !report.features.isOn("DynamicResourceAllocation")) return;
  if (metadata?.annotations?.[report.vocabulary.annotations.configMirror] === undefined) return;
  report.forbidden(at, "static pods do not support resource claims");
};

export const podErrors = validator<coreV1.Pod>(
  all(podAnnotations, (pod, at, report) => {
    const place = at.field("spec");
    const { spec = NO_SPEC } = pod;
    podSpec(spec, place, report);
    plainImages(spec, place, report);
    ephemeralClaimNames(pod, place.field("volumes"), report);
    claimsOfMirror(pod, at, report);
  }),
);

/** Requires a service account for projected service account tokens. */
const tokensOfAnAccount: Rule<coreV1.PodSpec> = ({ volumes = [], serviceAccountName = "" }, at, report) => {
  if (serviceAccountName !== "") return;
  volumes.forEach(({ projected }, position) => {
    projected?.sources?.forEach(({ serviceAccountToken }, number) => {
      if (serviceAccountToken === undefined) return;
      const place = at.field("volumes").item(position).field("projected").field("sources").item(number);
      report.forbidden(place.field("serviceAccountToken"), "must not be specified when serviceAccountName is not set");
    });
  });
};

export const newPodErrors = validator<coreV1.Pod>((pod, at, report) => {
  const place = at.field("spec");
  const { spec = NO_SPEC } = pod;
  if ((spec.ephemeralContainers ?? []).length > 0) {
    report.forbidden(place.field("ephemeralContainers"), "cannot be set on create");
  }
  spec.initContainers?.forEach((container, position) => {
    initResizePolicies(container, place.field("initContainers").item(position), report);
  });
  ungatedNode(spec, place, report);
  tokensOfAnAccount(spec, place, report);
  seccompAgreement(pod, at, report);
  appArmorAgreement(pod, at, report);
});
