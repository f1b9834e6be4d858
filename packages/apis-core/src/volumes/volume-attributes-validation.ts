// Rules of the volume attributes class that volumes and claims name. Source: pkg/apis/core/validation/validation.go,
// KEP-3751 "Kubernetes VolumeAttributesClass".
import { type Place, type Report, type Rule, subdomain, type UpdateRule, unchanged } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";

const GATE = "VolumeAttributesClass";
const FIELD = "volumeAttributesClassName";
const WITHOUT_GATE = "update is forbidden when the VolumeAttributesClass feature gate is disabled";

type Name = string | null | undefined;

const isAbsent = (name: Name): name is null | undefined => name === undefined || name === null;

/** An empty name stands for no class. */
export const claimAttributesClass: Rule<coreV1.PersistentVolumeClaimSpec> = ({ [FIELD]: name }, at, report) => {
  if (name && report.features.isOn(GATE)) subdomain(name, at.field(FIELD), report);
};

export const volumeAttributesClass: Rule<coreV1.PersistentVolumeSpec> = ({ [FIELD]: name, csi }, at, report) => {
  if (isAbsent(name) || !report.features.isOn(GATE)) return;
  const place = at.field(FIELD);
  if (name === "") report.required(place, "an empty string is disallowed");
  else subdomain(name, place, report);
  if (csi === undefined) report.required(at.field("csi"), "has to be specified when using volumeAttributesClassName");
};

/** Once a class is in effect, a claim cannot go back to none. */
export const claimAttributesClassUpdate: UpdateRule<coreV1.PersistentVolumeClaim> = (next, old, at, report) => {
  const name = next.spec?.[FIELD];
  const place = at.field("spec").field(FIELD);
  if (!mayChange([name, old.spec?.[FIELD]], place, report)) return;
  if (isAbsent(old.status?.currentVolumeAttributesClassName)) return;
  const to = isAbsent(name) ? "nil" : name === "" ? "empty string" : undefined;
  if (to === undefined) return;
  report.forbidden(place, `update to ${to} is forbidden when status.currentVolumeAttributesClassName is not nil`);
};

export const volumeAttributesClassUpdate: UpdateRule<coreV1.PersistentVolumeSpec> = (next, old, at, report) => {
  const [name, before] = [next[FIELD], old[FIELD]];
  const place = at.field(FIELD);
  if (mayChange([name, before], place, report) && !isAbsent(before) && isAbsent(name))
    report.forbidden(place, "update from non-nil value to nil is forbidden");
};

/** @returns whether the name changes and the rules of the change are left to check */
function mayChange([name, before]: readonly [Name, Name], place: Place, report: Report): boolean {
  if (isAbsent(name) === isAbsent(before) && unchanged(name, before)) return false;
  // Releases before the feature gate keep the field as it was sent.
  if (report.features.isOn(GATE)) return true;
  if (report.features.isOff(GATE)) report.forbidden(place, WITHOUT_GATE);
  return false;
}
