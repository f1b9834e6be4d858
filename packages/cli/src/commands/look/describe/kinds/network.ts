import type { JsonObject } from "@orch/schema";
import { at, column, fact, itemsAt, type KindView, selectorText, textAt } from "../kind-view";

const SLICES = "slices";

/** Returns the addresses of a port of a service, those of endpoints that are not ready apart. */
function endpointsText(slices: readonly JsonObject[], portName: string): string {
  const addresses = slices.flatMap((slice) => {
    const port = itemsAt(slice, "ports").find((each) => (textAt(each, "name") ?? "") === portName);
    if (port === undefined) return [];
    return itemsAt(slice, "endpoints").flatMap((endpoint) => {
      const isReady = at(endpoint, "conditions.ready") !== false;
      return ((at(endpoint, "addresses") ?? []) as unknown[]).map(
        (address) => `${String(address)}:${textAt(port, "port") ?? "*"}${isReady ? "" : " (not ready)"}`,
      );
    });
  });
  return addresses.join(", ") || "<none>";
}

export const SERVICE: KindView = {
  facts: [
    fact("Selector", "spec.selector", "<none>"),
    fact("Type", "spec.type"),
    fact("IP Families", "spec.ipFamilies"),
    fact("IPs", "spec.clusterIPs"),
    fact("External IPs", "spec.externalIPs"),
    fact("External Name", "spec.externalName"),
    [
      "Load Balancer",
      (service) =>
        itemsAt(service, "status.loadBalancer.ingress")
          .map((each) => textAt(each, "ip") ?? textAt(each, "hostname"))
          .join(", ") || undefined,
    ],
    fact("Session Affinity", "spec.sessionAffinity"),
    fact("External Traffic Policy", "spec.externalTrafficPolicy"),
  ],
  sections: [
    {
      title: "Ports",
      items: (service, { found }) => {
        const slices = found.get(SLICES);
        return itemsAt(service, "spec.ports").map((port) => ({
          ...port,
          endpoints: slices === undefined ? "<unknown>" : endpointsText(slices, textAt(port, "name") ?? ""),
        }));
      },
      columns: [
        column("Name", "name", "<unset>"),
        ["Port", (port) => `${textAt(port, "port")}/${textAt(port, "protocol") ?? "TCP"}`],
        column("Target", "targetPort"),
        column("Node Port", "nodePort", "-"),
        column("Endpoints", "endpoints"),
      ],
    },
  ],
  shows: [
    ...["spec.selector", "spec.type", "spec.ipFamilies", "spec.clusterIP", "spec.clusterIPs", "spec.externalIPs"],
    ...["spec.externalName", "spec.sessionAffinity", "spec.externalTrafficPolicy", "spec.ports"],
    "status.loadBalancer",
  ],
  questions: (service, { groups, labels }) => [
    {
      name: SLICES,
      resource: `endpointslices.${groups.discovery}`,
      labelSelector: `${labels.serviceName}=${textAt(service, "metadata.name")}`,
    },
  ],
};

function backendText(backend: JsonObject): string {
  const port = textAt(backend, "service.port.name") ?? textAt(backend, "service.port.number");
  const service = textAt(backend, "service.name");
  if (service !== undefined) return `${service}:${port ?? ""}`;
  return `${textAt(backend, "resource.kind") ?? ""}/${textAt(backend, "resource.name") ?? ""}`;
}

export const INGRESS: KindView = {
  facts: [
    fact("Ingress Class", "spec.ingressClassName", "<none>"),
    [
      "Address",
      (ingress) =>
        itemsAt(ingress, "status.loadBalancer.ingress")
          .map((each) => textAt(each, "ip") ?? textAt(each, "hostname"))
          .join(", ") || "<none>",
    ],
    [
      "Default Backend",
      (ingress) => {
        const backend = at(ingress, "spec.defaultBackend");
        return backend === undefined ? "<none>" : backendText(backend as JsonObject);
      },
    ],
  ],
  sections: [
    {
      title: "TLS",
      items: (ingress) => {
        const all = itemsAt(ingress, "spec.tls");
        return all.length === 0 ? undefined : all;
      },
      columns: [column("Secret", "secretName", "<none>"), column("Hosts", "hosts", "*")],
    },
    {
      title: "Rules",
      items: (ingress) =>
        itemsAt(ingress, "spec.rules").flatMap((rule) =>
          itemsAt(rule, "http.paths").map((path) => ({ ...path, host: rule["host"] ?? "" })),
        ),
      columns: [
        column("Host", "host", "*"),
        column("Path", "path", "/"),
        column("Type", "pathType"),
        ["Backend", (path) => backendText((path["backend"] ?? {}) as JsonObject)],
      ],
    },
  ],
  shows: ["spec.ingressClassName", "spec.defaultBackend", "spec.tls", "spec.rules", "status.loadBalancer"],
};

const portsText = (rule: JsonObject): string =>
  itemsAt(rule, "ports")
    .map((port) => `${textAt(port, "port") ?? "any"}/${textAt(port, "protocol") ?? "TCP"}`)
    .join(", ") || "any";

const peersText = (rule: JsonObject, member: "from" | "to"): string =>
  itemsAt(rule, member)
    .map((peer) => {
      const block = textAt(peer, "ipBlock.cidr");
      if (block !== undefined) return block;
      const namespaces = at(peer, "namespaceSelector");
      const parts = [
        ...(namespaces === undefined ? [] : [`namespaces ${selectorText(namespaces) ?? "all"}`]),
        ...(at(peer, "podSelector") === undefined ? [] : [`pods ${selectorText(at(peer, "podSelector")) ?? "all"}`]),
      ];
      return parts.join(" with ");
    })
    .join("; ") || "any";

const rules = (title: string, list: "ingress" | "egress", member: "from" | "to") => ({
  title,
  items: (policy: JsonObject) =>
    ((at(policy, "spec.policyTypes") ?? []) as unknown[]).map((each) => String(each).toLowerCase()).includes(list)
      ? itemsAt(policy, `spec.${list}`)
      : undefined,
  columns: [
    [list === "ingress" ? "From" : "To", (rule: JsonObject) => peersText(rule, member)],
    ["Ports", portsText],
  ] as const,
});

export const NETWORK_POLICY: KindView = {
  facts: [
    ["Pods", (policy) => selectorText(at(policy, "spec.podSelector")) ?? "all of the namespace"],
    fact("Policy Types", "spec.policyTypes"),
  ],
  sections: [rules("Allowed Ingress", "ingress", "from"), rules("Allowed Egress", "egress", "to")],
  shows: ["spec.podSelector", "spec.policyTypes", "spec.ingress", "spec.egress"],
};
