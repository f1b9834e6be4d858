// Validation of persistent volume claims. Source: pkg/apis/core/validation/validation.go.

import {
  immutable,
  isExact,
  isNative,
  isNegative,
  NOT_NEGATIVE,
  type Place,
  quantityOf,
  type Report,
  unchanged,
  updateValidator,
  validator,
} from "@orch/apis-model";
import { qualifiedNameErrors } from "@orch/machinery";
import { compareQuantities, type coreV1 } from "@orch/schema";
import { claimSourceReference, claimSpec } from "./claim-spec-validation";
import { claimAttributesClassUpdate } from "./volume-attributes-validation";

export const persistentVolumeClaimErrors = validator<coreV1.PersistentVolumeClaim>(({ spec = {} }, at, report) => {
  const place = at.field("spec");
  claimSpec(spec, place, report);
  const { dataSourceRef: reference } = spec;
  if (reference !== undefined) claimSourceReference(reference, place.field("dataSourceRef"), report);
});

export const persistentVolumeClaimUpdateErrors = updateValidator<coreV1.PersistentVolumeClaim>(
  (next, old, at, report) => {
    const place = at.field("spec");
    const after = next.spec ?? {};
    const before = old.spec ?? {};
    const isBound = old.status?.phase === "Bound";
    const isSmaller = isBound || isExact(report);
    const upgrade = isClassUpgrade(next, old, report.vocabulary.annotations.volumeBetaStorageClass);
    const changesClass = report.features.isOn("VolumeAttributesClass");
    if (
      !unchanged(withoutChangeable(after, before, { isBound, upgrade, changesClass, exact: isExact(report) }), before)
    ) {
      const changeable = changesClass ? "resources.requests and volumeAttributesClassName" : "resources.requests";
      report.forbidden(place, `spec is immutable after creation except ${changeable} for bound claims`);
    }
    if (isSmaller) smallerRequest(after, old, place.field("resources").field("requests").field("storage"), report);
    if (!upgrade) {
      const name = report.vocabulary.annotations.volumeBetaStorageClass;
      const above = at.field("metadata").field("annotations");
      const annotation = isExact(report) ? above.field(name) : above.key(name);
      immutable(next.metadata?.annotations?.[name], old.metadata?.annotations?.[name], annotation, report);
    }
    immutable(after.volumeMode, before.volumeMode, (isExact(report) ? at : place).field("volumeMode"), report);
    claimAttributesClassUpdate(next, old, at, report);
  },
);

/**
 * Rejects a smaller request. A request that has not been met yet may shrink to more than the capacity. Source:
 * KEP-1790, "Recovering from Volume Expansion Failure".
 */
function smallerRequest(
  next: coreV1.PersistentVolumeClaimSpec,
  { spec, status }: coreV1.PersistentVolumeClaim,
  at: Place,
  report: Report,
): void {
  const wanted = storageOf(next.resources?.requests);
  if (compareQuantities(wanted, storageOf(spec?.resources?.requests)) >= 0) return;
  if (!report.features.isOn("RecoverVolumeExpansionFailure")) {
    report.forbidden(at, "field can not be less than previous value");
  } else if (compareQuantities(wanted, storageOf(status?.capacity)) <= 0) {
    report.forbidden(at, "field can not be less than status.capacity");
  }
}

const storageOf = (amounts: { readonly [name: string]: string } | undefined) => quantityOf(amounts?.["storage"] ?? "0");

/** Returns whether the storage class moves from the annotation to the field. */
function isClassUpgrade(next: coreV1.PersistentVolumeClaim, old: coreV1.PersistentVolumeClaim, name: string): boolean {
  const before = old.metadata?.annotations?.[name];
  const after = next.metadata?.annotations?.[name];
  return (
    before !== undefined &&
    old.spec?.storageClassName === undefined &&
    next.spec?.storageClassName === before &&
    (after === undefined || after === before)
  );
}

const storageAlone = ({ storage }: { readonly [name: string]: string }) => (storage === undefined ? {} : { storage });

function withoutChangeable(
  spec: coreV1.PersistentVolumeClaimSpec,
  old: coreV1.PersistentVolumeClaimSpec,
  {
    isBound,
    upgrade,
    changesClass,
    exact,
  }: { readonly [Condition in "isBound" | "upgrade" | "changesClass" | "exact"]: boolean },
): object {
  const { resources, volumeName, storageClassName, volumeAttributesClassName, ...rest } = spec;
  const { requests, ...others } = resources ?? {};
  const oldRequests = old.resources?.requests;
  const keeps = isBound && oldRequests !== undefined && !(exact && requests === undefined);
  return {
    ...rest,
    resources: keeps
      ? { ...others, requests: exact ? { ...requests, ...storageAlone(oldRequests) } : oldRequests }
      : resources,
    volumeName: (old.volumeName ?? "") === "" ? old.volumeName : volumeName,
    storageClassName: upgrade ? old.storageClassName : storageClassName,
    volumeAttributesClassName: isBound && changesClass ? old.volumeAttributesClassName : volumeAttributesClassName,
  };
}

export const persistentVolumeClaimStatusErrors = updateValidator<coreV1.PersistentVolumeClaim>(
  ({ status }, _old, at, report) => {
    const place = at.field("status").field("capacity");
    for (const [name, amount] of Object.entries(status?.capacity ?? {})) {
      if (isNegative(amount)) report.invalid(place.key(name), amount, NOT_NEGATIVE);
    }
    if (report.features.isOn("RecoverVolumeExpansionFailure")) resizing(status ?? {}, at.field("status"), report);
  },
);

const RESIZE_STATES = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
];

/** Checks the allocated storage and the state of its resizing. Source: KEP-1790. */
function resizing(status: coreV1.PersistentVolumeClaimStatus, at: Place, report: Report): void {
  const amounts = at.field("allocatedResources");
  for (const [name, amount] of Object.entries(status.allocatedResources ?? {})) {
    resizable(name, amounts, report);
    if (isNegative(amount)) report.invalid(amounts.key(name), amount, NOT_NEGATIVE);
  }
  const states = at.field("allocatedResourceStatuses");
  for (const [name, state] of Object.entries(status.allocatedResourceStatuses ?? {})) {
    resizable(name, states, report);
    if (!RESIZE_STATES.includes(state)) report.notSupported(states, name, RESIZE_STATES);
  }
}

/** Requires storage, or a resource of another domain. */
function resizable(name: string, at: Place, report: Report): void {
  const errors = qualifiedNameErrors(name);
  if (errors.length > 0) report.misformed(at, name, errors);
  else if (name !== "storage" && isNative(name, report.vocabulary)) report.notSupported(at, name, ["storage"]);
}
