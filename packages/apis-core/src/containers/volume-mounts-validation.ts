// Validation of volume mounts and volume devices. Source: pkg/apis/core/validation/validation.go.

import { descendingPath, isAbsent, oneOf, type Place, pathWithoutBacksteps, type Report } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import type { VolumesByName } from "../volumes/volumes-validation";

type Mounting = Pick<coreV1.Container, "volumeMounts" | "volumeDevices" | "securityContext">;

const propagation = oneOf("Bidirectional", "HostToContainer", "None");

export function volumeMounts(container: Mounting, volumes: VolumesByName, at: Place, report: Report): void {
  const mounts = container.volumeMounts ?? [];
  if (mounts.length === 0) return;
  const deviceNames = new Set((container.volumeDevices ?? []).map(({ name }) => name));
  const devicePaths = new Set((container.volumeDevices ?? []).map(({ devicePath }) => devicePath));
  const paths = new Set<string>();
  mounts.forEach((mount, position) => {
    const { name, mountPath } = mount;
    const place = at.field("volumeMounts").item(position);
    // Some fields are reported at the list since 1.26, as Kubernetes does.
    const list = report.features.since("1.26") ? at.field("volumeMounts") : place;
    if (isAbsent(name)) report.required(place.field("name"));
    if (!volumes.has(name) && (!isAbsent(name) || report.features.since("1.26")))
      report.notFound(place.field("name"), name);
    if (isAbsent(mountPath)) report.required(place.field("mountPath"));
    else if (paths.has(mountPath)) report.invalid(place.field("mountPath"), mountPath, "must be unique");
    paths.add(mountPath);
    if (deviceNames.has(name)) report.invalid(place.field("name"), name, "must not already exist in volumeDevices");
    if (devicePaths.has(mountPath)) {
      report.invalid(place.field("mountPath"), mountPath, "must not already exist as a path in volumeDevices");
    }
    subPaths(mount, list, place, report);
    recursiveReadOnly(mount, list, report);
    mountPropagation(mount, container, list, report);
  });
}

function subPaths(
  { subPath = "", subPathExpr = "" }: coreV1.VolumeMount,
  list: Place,
  at: Place,
  report: Report,
): void {
  if (subPath !== "") descendingPath(subPath, list.field("subPath"), report);
  if (subPathExpr === "") return;
  const text = "subPathExpr and subPath are mutually exclusive";
  if (subPath !== "") report.invalid(at.field("subPathExpr"), subPathExpr, text);
  descendingPath(subPathExpr, list.field("subPathExpr"), report);
}

const readOnlyModes = oneOf("Disabled", "Enabled", "IfPossible");

/** Source: KEP-3857, "Recursive Read-only Mounts". */
function recursiveReadOnly(mount: coreV1.VolumeMount, at: Place, report: Report): void {
  const { recursiveReadOnly: mode, readOnly, mountPropagation: propagates } = mount;
  if (mode === undefined || !report.features.isOn("RecursiveReadOnlyMounts")) return;
  const place = at.field("recursiveReadOnly");
  readOnlyModes(mode, place, report);
  if (mode !== "Enabled" && mode !== "IfPossible") return;
  if (readOnly !== true) report.forbidden(place, "may only be specified when readOnly is true");
  if (propagates !== undefined && propagates !== "None") {
    report.forbidden(place, "may only be specified when mountPropagation is None or not specified");
  }
}

function mountPropagation(mount: coreV1.VolumeMount, container: Mounting, at: Place, report: Report): void {
  if (mount.mountPropagation === undefined) return;
  const place = at.field("mountPropagation");
  propagation(mount.mountPropagation, place, report);
  if (mount.mountPropagation === "Bidirectional" && container.securityContext?.privileged !== true) {
    report.forbidden(place, "Bidirectional mount propagation is available only to privileged containers");
  }
}

export function volumeDevices(container: Mounting, volumes: VolumesByName, at: Place, report: Report): void {
  const devices = container.volumeDevices ?? [];
  if (devices.length === 0) return;
  const mountNames = new Set((container.volumeMounts ?? []).map(({ name }) => name));
  const mountPaths = new Set((container.volumeMounts ?? []).map(({ mountPath }) => mountPath));
  const names = new Set<string>();
  const paths = new Set<string>();
  devices.forEach(({ name, devicePath }, position) => {
    const place = at.field("volumeDevices").item(position);
    const namePlace = place.field("name");
    const volume = volumes.get(name);
    if (isAbsent(name)) report.required(namePlace);
    else if (names.has(name)) report.invalid(namePlace, name, "must be unique");
    if (volume === undefined) {
      const unique = !isAbsent(name) && !names.has(name);
      if (unique || report.features.since("1.26")) report.notFound(namePlace, name);
    } else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      report.invalid(namePlace, name, "can only use volume source type of PersistentVolumeClaim for block mode");
    }
    names.add(name);
    const pathPlace = place.field("devicePath");
    if (isAbsent(devicePath)) report.required(pathPlace);
    else if (paths.has(devicePath)) report.invalid(pathPlace, devicePath, "must be unique");
    else pathWithoutBacksteps(devicePath, pathPlace, report);
    paths.add(devicePath);
    if (mountNames.has(name)) report.invalid(namePlace, name, "must not already exist in volumeMounts");
    if (mountPaths.has(devicePath)) {
      report.invalid(pathPlace, devicePath, "must not already exist as a path in volumeMounts");
    }
  });
}
