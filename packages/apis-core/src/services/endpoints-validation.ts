// Validation of endpoints. Source: pkg/apis/core/validation/validation.go.

import {
  absentAs,
  all,
  each,
  fields,
  label1123,
  portNumber,
  qualifiedName,
  type Rule,
  reachableAddress,
  subdomain,
  validator,
} from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import { protocol } from "../containers/container-ports-validation";

const address = fields<coreV1.EndpointAddress>({
  ip: absentAs("", reachableAddress),
  hostname: label1123,
  nodeName: subdomain,
});

const anyAddress: Rule<coreV1.EndpointSubset> = ({ addresses = [], notReadyAddresses = [] }, at, report) => {
  if (addresses.length + notReadyAddresses.length === 0) {
    report.required(at, "must specify `addresses` or `notReadyAddresses`");
  }
};

const namesOfSeveral: Rule<readonly coreV1.EndpointPort[]> = (ports, at, report) => {
  if (ports.length < 2) return;
  ports.forEach(({ name = "" }, position) => {
    if (name === "") report.required(at.item(position).field("name"));
  });
};

const port = fields<coreV1.EndpointPort>({
  name: label1123,
  port: absentAs(0, portNumber),
  protocol,
  appProtocol: qualifiedName,
});

const subset = all(
  anyAddress,
  fields<coreV1.EndpointSubset>({
    addresses: each(address),
    notReadyAddresses: each(address),
    ports: all(namesOfSeveral, each(port)),
  }),
);

export const endpointsErrors = validator(fields<coreV1.Endpoints>({ subsets: each(subset) }));
