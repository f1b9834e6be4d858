// Validation of ingress backends: a service, or a resource of the ingress controller. Older versions name the fields of
// services differently, and errors use the names of the request's version. Source:
// pkg/apis/networking/validation/validation.go.

import {
  fields,
  label1035,
  type Place,
  pathSegment,
  portName,
  portNumber,
  type Report,
  type Rule,
  required,
  subdomain,
} from "@orch/apis-model";
import type { coreV1, networkingV1 } from "@orch/schema";

export const backend: Rule<networkingV1.IngressBackend> = ({ service, resource }, at, report) => {
  if (service !== undefined && resource !== undefined) {
    report.invalid(at, { service, resource }, "cannot set both resource and service backends");
  } else if (resource !== undefined) {
    target(resource, at.field("resource"), report);
  } else if (service !== undefined) {
    if (isV1(report)) v1Service(service, at, report);
    else olderService(service, at, report);
  } else {
    report.invalid(at, null, "one of resource and service backends is needed");
  }
};

export const isV1 = ({ version }: Report): boolean => version.version === "v1";

const target = fields<coreV1.TypedLocalObjectReference>({
  apiGroup: subdomain,
  kind: required(pathSegment),
  name: required(pathSegment),
});

const name = required(label1035);

function v1Service(service: networkingV1.IngressServiceBackend, at: Place, report: Report): void {
  const port = at.field("service").field("port");
  nameErrors(service, at.field("service").field("name"), report);
  portErrors(service, { whole: at, name: port.field("name"), number: port.field("number") }, report);
}

function olderService(service: networkingV1.IngressServiceBackend, at: Place, report: Report): void {
  const port = at.field("servicePort");
  nameErrors(service, at.field("serviceName"), report);
  portErrors(service, { whole: at, name: port, number: port }, report);
}

function nameErrors(service: networkingV1.IngressServiceBackend, at: Place, report: Report): void {
  if (service.name === "") name.whenAbsent?.(at, report);
  else name(service.name, at, report);
}

function portErrors(
  { port = {} }: networkingV1.IngressServiceBackend,
  at: { readonly whole: Place; readonly name: Place; readonly number: Place },
  report: Report,
): void {
  const { name = "", number = 0 } = port;
  if (name !== "" && number !== 0) report.invalid(at.whole, port, "cannot set both port name & port number");
  else if (name !== "") portName(name, at.name, report);
  else if (number !== 0) portNumber(number, at.number, report);
  else report.required(at.whole, "port name or number is required");
}
