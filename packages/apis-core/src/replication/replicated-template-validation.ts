// Validation of pod templates of controllers whose pods run indefinitely. Source:
// pkg/apis/core/validation/validation.go.

import type { Place, Report, Rule } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";

/** Requires the restart policy Always. */
export const endlessPods: Rule<coreV1.PodTemplateSpec> = ({ spec }, at, report) => {
  const place = at.field("spec");
  const policy = spec?.restartPolicy;
  if (policy !== undefined && policy !== "Always")
    report.notSupported(place.field("restartPolicy"), policy, ["Always"]);
  if (spec?.activeDeadlineSeconds !== undefined) {
    report.forbidden(place.field("activeDeadlineSeconds"), "may not be set on pods that are replaced when they end");
  }
};

/**
 * Rejects writable GCE persistent disks when there is more than one replica, before 1.29: a CSI driver can attach them
 * to several nodes.
 */
export function disksToShare(replicas: number, template: coreV1.PodTemplateSpec, at: Place, report: Report): void {
  if (replicas <= 1 || report.features.since("1.29")) return;
  template.spec?.volumes?.forEach(({ gcePersistentDisk: disk }, position) => {
    if (disk === undefined || disk.readOnly === true) return;
    const place = at.field("spec").field("volumes").item(position).field("gcePersistentDisk").field("readOnly");
    report.invalid(
      place,
      false,
      "must be true for replicated pods > 1; the disk can be mounted by several only to read",
    );
  });
}
