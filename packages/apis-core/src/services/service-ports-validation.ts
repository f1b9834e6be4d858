// Validation of service ports. Source: pkg/apis/core/validation/validation.go.

import {
  absentAs,
  all,
  each,
  fields,
  label1123,
  type Place,
  portNumber,
  portNumberOrName,
  qualifiedName,
  type Report,
  type Rule,
  unique,
} from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import { protocol } from "../containers/container-ports-validation";
import { isHeadless, isOpen } from "./service-kinds";

type SpecRule = Rule<coreV1.ServiceSpec>;

/** Port of the kubelet. */
const AGENT_PORT = 10250;

const portsAreThere: SpecRule = (spec, at, report) => {
  if ((spec.ports ?? []).length === 0 && !isHeadless(spec) && spec.type !== "ExternalName") {
    report.required(at.field("ports"));
  }
};

const ofType: SpecRule = (spec, at, report) => {
  const first = at.field("clusterIPs").item(0);
  if (spec.type === "LoadBalancer") {
    spec.ports?.forEach(({ port }, position) => {
      if (port !== AGENT_PORT) return;
      const place = at.field("ports").item(position).field("port");
      report.invalid(place, port, `may not expose port ${AGENT_PORT} externally since node agents use it`);
    });
  }
  if (isOpen(spec) && isHeadless(spec)) {
    report.invalid(first, "None", `may not be set to 'None' for ${spec.type} services`);
  }
};

const namesOfSeveral: Rule<readonly coreV1.ServicePort[]> = (ports, at, report) => {
  if (ports.length < 2) return;
  ports.forEach(({ name = "" }, position) => {
    if (name === "") report.required(at.item(position).field("name"));
  });
};

const ports: Rule<readonly coreV1.ServicePort[]> = all(
  namesOfSeveral,
  each(
    fields<coreV1.ServicePort>({
      name: label1123,
      port: absentAs(0, portNumber),
      protocol,
      targetPort: portNumberOrName,
      appProtocol: qualifiedName,
    }),
  ),
  unique(({ name }) => name, { field: "name" }),
  unique(({ protocol, port }) => `${protocol}/${port}`),
  unique(({ protocol, nodePort = 0 }) => (nodePort === 0 ? undefined : `${protocol}/${nodePort}`), {
    field: "nodePort",
    shows: ({ nodePort }) => nodePort,
  }),
);

const nodePorts: SpecRule = ({ type, ports: list = [] }, at, report) => {
  if (type !== "ClusterIP") return;
  list.forEach(({ nodePort = 0 }, position) => {
    if (nodePort === 0) return;
    const place = at.field("ports").item(position).field("nodePort");
    report.forbidden(place, "may not be used when type is 'ClusterIP'");
  });
};

export const servicePorts: SpecRule = all(portsAreThere, ofType, fields<coreV1.ServiceSpec>({ ports }), nodePorts);

/** Requires one protocol for all ports of a load balancer, unless MixedProtocolLBService is enabled. */
export function mixedProtocols({ type, ports: list = [] }: coreV1.ServiceSpec, at: Place, report: Report): void {
  if (report.features.isOn("MixedProtocolLBService")) return;
  if (type !== "LoadBalancer" || new Set(list.map(({ protocol }) => protocol)).size < 2) return;
  report.invalid(at.field("ports"), list, "may not contain more than 1 protocol when type is 'LoadBalancer'");
}
