// Validation of pod templates of controllers and of PodTemplate. Source: pkg/apis/core/validation/validation.go.

import { all, fields, labels, type Rule } from "@orch/apis-model";
import { annotationErrors } from "@orch/machinery";
import type { coreV1, metaV1 } from "@orch/schema";
import { podAnnotations } from "./pod-annotations-validation";
import { templatePodSpec } from "./pod-spec-validation";

const annotations: Rule<{ readonly [key: string]: string }> = (value, at, report) =>
  report.found(annotationErrors(value, at.toString()));

const noEphemeralContainers: Rule<coreV1.PodSpec> = ({ ephemeralContainers = [] }, at, report) => {
  if (ephemeralContainers.length > 0) {
    report.forbidden(at.field("ephemeralContainers"), "ephemeral containers not allowed in pod template");
  }
};

/** Validates a template. Without a spec, every required field is reported. */
export const podTemplateSpec: Rule<coreV1.PodTemplateSpec> = all(
  ({ metadata = {} }, at, report) => {
    // Kubernetes reports labels and annotations at the template.
    labelsAndAnnotations(metadata, report.features.since("1.26") ? at : at.field("metadata"), report);
  },
  podAnnotations,
  ({ spec = NO_SPEC }, at, report) => {
    const place = at.field("spec");
    templatePodSpec(spec, place, report);
    noEphemeralContainers(spec, place, report);
  },
);

const labelsAndAnnotations = fields<metaV1.ObjectMeta>({ labels, annotations });

const NO_SPEC: coreV1.PodSpec = { containers: null };
