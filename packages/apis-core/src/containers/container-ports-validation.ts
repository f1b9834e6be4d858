// Validation of container ports and host ports. Source: pkg/apis/core/validation/validation.go.

import {
  all,
  each,
  fields,
  format,
  oneOf,
  type Place,
  portName,
  portNumber,
  type Report,
  type Rule,
  required,
  unique,
} from "@orch/apis-model";
import { portNumberErrors } from "@orch/machinery";
import type { coreV1 } from "@orch/schema";
import type { VolumeOwner } from "../volumes/volumes-validation";

export const protocol = required(oneOf("TCP", "UDP", "SCTP"));

const containerPort: Rule<number> = (value, at, report) => {
  if (value === 0) report.required(at);
  else portNumber(value, at, report);
};

export const containerPorts: Rule<readonly coreV1.ContainerPort[]> = all(
  each(
    fields<coreV1.ContainerPort>({
      name: portName,
      containerPort,
      hostPort: format((value: number) => (value === 0 ? [] : portNumberErrors(value))),
      protocol,
    }),
  ),
  unique(({ name }) => name, { field: "name" }),
);

/** Reports host port conflicts. @param taken ports of earlier containers; extended by this call */
export function hostPortConflicts(container: coreV1.Container, taken: Set<string>, at: Place, report: Report): void {
  container.ports?.forEach(({ protocol = "", hostIP = "", hostPort = 0 }, position) => {
    if (hostPort === 0) return;
    const key = `${protocol}/${hostIP}/${hostPort}`;
    if (taken.has(key)) report.duplicate(at.field("ports").item(position).field("hostPort"), key);
    taken.add(key);
  });
}

/** Requires equal host and container ports in the host's network. Since 1.28, a template may leave out the host port. */
export function portsOfHost({ ports = [] }: coreV1.Container, owner: VolumeOwner, at: Place, report: Report): void {
  const isNewer = report.features.since("1.28");
  ports.forEach(({ hostPort = 0, containerPort }, position) => {
    if (hostPort === containerPort || (isNewer && owner === "template" && hostPort === 0)) return;
    if (isNewer) {
      const place = at.field("ports").item(position).field("hostPort");
      report.invalid(place, hostPort, "must match `containerPort` when `hostNetwork` is true");
      return;
    }
    const place = at.field("ports").item(position).field("containerPort");
    report.invalid(place, containerPort, "must match `hostPort` when `hostNetwork` is true");
  });
}
