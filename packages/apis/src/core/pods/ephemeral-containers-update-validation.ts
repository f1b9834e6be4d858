// Validation of updates of the ephemeralcontainers subresource. Source: pkg/apis/core/validation/validation.go.
import type { coreV1 } from "@orch/schema";
import { unchanged, updateValidator } from "../../model/rules/update-rule";
import { joiningContainerErrors } from "./containers-validation";

/** Allows new ephemeral containers; existing ones must not change or be removed. */
export const ephemeralContainersErrors = updateValidator<coreV1.Pod>((next, old, at, report) => {
  const spec = at.field("spec");
  if (next.spec !== undefined) joiningContainerErrors(next.spec, spec, report);
  const place = spec.field("ephemeralContainers");
  const present = next.spec?.ephemeralContainers ?? [];
  const positions = new Map<string, number>();
  for (const [position, { name }] of present.entries()) if (!positions.has(name)) positions.set(name, position);
  for (const before of old.spec?.ephemeralContainers ?? []) {
    const position = positions.get(before.name);
    if (position === undefined)
      report.forbidden(place, `existing ephemeral containers "${before.name}" may not be removed`);
    else if (!unchanged(present[position], before)) {
      report.forbidden(place.item(position), `existing ephemeral containers "${before.name}" may not be changed`);
    }
  }
});
