// Containers that join a running pod. Source: facts, validation/core.md "Ephemeral containers".
import type { coreV1 } from "@orch/schema";
import { type UpdateRule, unchanged } from "../update-rule";

/** They come, but do not change or go. */
export const onlyMoreEphemeralContainers: UpdateRule<coreV1.PodSpec> = (next, old, at, report) => {
  const place = at.field("ephemeralContainers");
  const present = next.ephemeralContainers ?? [];
  for (const before of old.ephemeralContainers ?? []) {
    const position = present.findIndex(({ name }) => name === before.name);
    if (position < 0) report.forbidden(place, `existing ephemeral containers "${before.name}" may not be removed`);
    else if (!unchanged(present[position], before)) {
      report.forbidden(place.item(position), `existing ephemeral containers "${before.name}" may not be changed`);
    }
  }
};
