// Validation of the spec of claims and claim templates. Source: pkg/apis/core/validation/validation.go.

import {
  all,
  fields,
  ifSet,
  isExact,
  label1123,
  labelSelector,
  oneOf,
  onlyExactly,
  positiveQuantity,
  type Rule,
  required,
  subdomain,
} from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import { claimAttributesClass } from "./volume-attributes-validation";

const sharedModes = oneOf("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany");
const everyMode = oneOf("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod");

/** A volume of one pod has no other access mode. Source: KEP-2485, "ReadWriteOncePod PersistentVolume AccessMode". */
const exclusive: Rule<readonly string[]> = (modes, at, report) => {
  if (modes.length > 1 && modes.includes("ReadWriteOncePod") && report.features.since("1.27")) {
    report.forbidden(at, "may not use ReadWriteOncePod with other access modes");
  }
};

export const accessModes: Rule<readonly string[]> = required(
  all<readonly string[]>((modes, at, report) => {
    for (const [position, mode] of modes.entries()) {
      // Kubernetes reports all modes at the list.
      const place = report.features.since("1.26") ? at : at.item(position);
      (report.features.since("1.27") ? everyMode : sharedModes)(mode, place, report);
    }
  }, exclusive),
);

export const volumeMode = oneOf("Block", "Filesystem");

const storageRequest: Rule<coreV1.PersistentVolumeClaimSpec> = ({ resources }, at, report) => {
  const place = at.field("resources");
  const storage = resources?.requests?.["storage"];
  if (storage === undefined) report.required(place.key("storage"));
  else {
    // Kubernetes reports the amount at the same place.
    const at = report.features.since("1.26") ? place : place.field("requests");
    positiveQuantity(storage, at.key("storage"), report);
  }
};

const dataSource: Rule<coreV1.TypedLocalObjectReference> = all(
  fields<coreV1.TypedLocalObjectReference>({ name: required(), kind: required() }),
  ({ apiGroup, kind }, at, report) => {
    const isAbsentKind = (kind ?? "") === "" && !report.features.since("1.26");
    if ((apiGroup ?? "") === "" && !isAbsentKind && kind !== "PersistentVolumeClaim") {
      report.invalid(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
    }
  },
);

/** Rules of the second source of claims. The format of its group is a strict one. */
export const claimSourceReference: Rule<coreV1.TypedObjectReference> = onlyExactly(
  all<coreV1.TypedObjectReference>(dataSource, fields<coreV1.TypedObjectReference>({ namespace: ifSet(label1123) })),
);

/** Rules of the sources of claim templates, which no preparation completes. Source: KEP-1495, "Volume Populators". */
export const templateSources: Rule<coreV1.PersistentVolumeClaimSpec> = (spec, at, report) => {
  if (spec.dataSourceRef !== undefined) sourceReference(spec.dataSourceRef, at.field("dataSourceRef"), report);
  if (spec.dataSource?.apiGroup) subdomain(spec.dataSource.apiGroup, at.field("dataSource").field("apiGroup"), report);
};

const sourceReference: Rule<coreV1.TypedObjectReference> = all(
  fields<coreV1.TypedObjectReference>({
    name: required(),
    kind: required(),
    apiGroup: ifSet(subdomain),
    namespace: ifSet(label1123),
  }),
  ({ apiGroup, kind = "" }, at, report) => {
    if (apiGroup || kind === "PersistentVolumeClaim") return;
    report.invalid(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  },
);

/** Requires equal sources when both are set. Source: KEP-1495, "Volume Populators". */
const equalSources: Rule<coreV1.PersistentVolumeClaimSpec> = (
  { dataSource: one, dataSourceRef: other },
  at,
  report,
) => {
  if (one === undefined || other === undefined || !isExact(report)) return;
  if (other.namespace) return report.invalid(at, one, "may not be specified when dataSourceRef.namespace is specified");
  const isEqual = one.kind === other.kind && one.name === other.name && (one.apiGroup ?? "") === (other.apiGroup ?? "");
  if (!isEqual) report.invalid(at, one, "must match dataSourceRef");
};

export const claimSpec: Rule<coreV1.PersistentVolumeClaimSpec> = all(
  fields<coreV1.PersistentVolumeClaimSpec>({ accessModes, selector: labelSelector }),
  storageRequest,
  fields<coreV1.PersistentVolumeClaimSpec>({
    storageClassName: ifSet(subdomain),
    volumeMode,
    dataSource,
  }),
  equalSources,
  claimAttributesClass,
);
