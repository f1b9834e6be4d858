// Validation of the images of pods, which a kubelet pulls as they are written. Source:
// pkg/apis/core/validation/validation.go.

import type { Rule } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";

/** Rejects images with surrounding white space. Templates may contain them. */
export const plainImages: Rule<coreV1.PodSpec> = (spec, at, report) => {
  for (const list of ["containers", "initContainers", "ephemeralContainers"] as const) {
    if (list === "ephemeralContainers" && !report.features.since("1.26")) continue;
    spec[list]?.forEach(({ image = "" }, position) => {
      if (image.trim() === image) return;
      const place = at.field(list).item(position).field("image");
      report.invalid(place, image, "must not have leading or trailing whitespace");
    });
  }
};
