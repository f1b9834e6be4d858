// Columns of ingresses. Source: pkg/printers/internalversion/printers.go.

import { ageColumn, type CellObject, column, loadBalancerAddresses, nameColumn } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { networkingV1 } from "@orch/schema";

type Ingress = networkingV1.Ingress;

export const ingressColumns: readonly TableColumn[] = [
  nameColumn,
  column<Ingress>("Class", "Who is to set the ingress up.", ({ spec }) => spec?.ingressClassName ?? "<none>"),
  column<Ingress>("Hosts", "The names that requests are let in by.", ({ spec }) => hostsText(spec?.rules ?? [])),
  column<Ingress>("Address", "Where requests are let in.", ({ status }) => {
    return loadBalancerAddresses(status?.loadBalancer).join(",");
  }),
  column<Ingress>("Ports", "The ports that requests are let in by.", ({ spec }) => {
    return spec?.tls?.length ? "80, 443" : "80";
  }),
  ageColumn,
];

const SHOWN = 3;

/** Formats the first hosts, and the number of rules beyond them, with or without a host. */
function hostsText(rules: readonly CellObject<networkingV1.IngressRule>[]): string {
  const hosts: string[] = [];
  for (const { host } of rules) {
    if (hosts.length === SHOWN) return `${hosts.join(",")} + ${rules.length - SHOWN} more...`;
    if (host) hosts.push(host);
  }
  return hosts.join(",") || "*";
}
