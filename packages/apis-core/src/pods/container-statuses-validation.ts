// Validation of the statuses of containers: users, and the health of allocated devices. Source: KEP-3619, "Fine-grained
// SupplementalGroups control"; KEP-4680, "Add Resource Health Status to the Pod Status";
// pkg/apis/core/validation/validation.go.

import { each, fields, oneOf, operatingSystemId, type Place, type Report } from "@orch/apis-model";
import { type coreV1, memberOf } from "@orch/schema";

const LISTS = [
  ["containerStatuses", "containers"],
  ["initContainerStatuses", "initContainers"],
  ["ephemeralContainerStatuses", undefined],
] as const;

/** @param at place of the status of the pod */
export function containerStatuses(pod: coreV1.Pod, at: Place, report: Report): void {
  const os = pod.spec?.os?.name ?? "linux";
  for (const [list, containers] of LISTS) {
    const statuses = pod.status?.[list] ?? [];
    for (let position = 0; position < statuses.length; position += 1) {
      const status = statuses[position] as coreV1.ContainerStatus;
      const { user, allocatedResourcesStatus: devices } = status;
      if (user?.linux !== undefined && report.features.isOn("SupplementalGroupsPolicy")) {
        linuxUser(user.linux, os, at.field(list).item(position).field("user").field("linux"), report);
      }
      if (!devices?.length || !report.features.isOn("ResourceHealthStatus")) continue;
      const place = at.field(list).item(position).field("allocatedResourcesStatus");
      if (containers === undefined) report.forbidden(place, "must not be specified in container status");
      else devicesOf(status, pod.spec?.[containers], place, report);
    }
  }
}

const userIds = fields<coreV1.LinuxContainerUser>({
  uid: operatingSystemId,
  gid: operatingSystemId,
  supplementalGroups: each(operatingSystemId),
});

function linuxUser(user: coreV1.LinuxContainerUser, os: string, at: Place, report: Report): void {
  if (os === "windows") report.forbidden(at, "cannot be set for a windows pod");
  else if (os === "linux") userIds(user, at, report);
}

const NOT_A_CLAIM =
  "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' " +
  "if request is empty";

type Containers = readonly coreV1.Container[] | null | undefined;

/** A status of an unknown container may have any names. */
function devicesOf(
  { name, allocatedResourcesStatus }: coreV1.ContainerStatus,
  containers: Containers,
  at: Place,
  report: Report,
): void {
  const container = containers?.find((each) => each.name === name);
  const resources = container?.resources;
  const claims = new Set(
    (resources?.claims ?? []).map((claim) => `claim:${claim.name}${claim.request ? `/${claim.request}` : ""}`),
  );
  allocatedResourcesStatus?.forEach((device, position) => {
    const place = at.item(position);
    const ofClaim = device.name.startsWith("claim:");
    const isKnown = ofClaim ? claims.has(device.name) : memberOf(resources?.requests ?? {}, device.name) !== undefined;
    if (container !== undefined && !isKnown) {
      const text = ofClaim ? NOT_A_CLAIM : "must match one of the container's resource requests";
      report.invalid(place.field("name"), device.name, text);
    }
    healthOf(device.resources ?? [], place.field("resources"), report);
  });
}

const MESSAGE_MAX_BYTES = 1024;

const healths = oneOf("Healthy", "Unhealthy", "Unknown");

function healthOf(resources: readonly coreV1.ResourceHealth[], at: Place, report: Report): void {
  const ids = new Set<string>();
  resources.forEach(({ resourceID, health = "", message }, position) => {
    const place = at.item(position);
    if (message === "") report.required(place.field("message"), "must be non-empty if specified");
    else if (message !== undefined && Buffer.byteLength(message) > MESSAGE_MAX_BYTES) {
      report.tooLong(place.field("message"), MESSAGE_MAX_BYTES);
    }
    healths(health, place.field("health"), report);
    if (ids.has(resourceID)) report.duplicate(place.field("resourceID"), resourceID);
    ids.add(resourceID);
  });
}
