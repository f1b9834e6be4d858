// Defaults of ports and paths of services, endpoints and ingresses.
import type { DefaultRules } from "@orch/apis-model";

const SLICE_PORT: DefaultRules = { fields: { name: "", protocol: "TCP" } };
const PATH: DefaultRules = { fields: { pathType: "ImplementationSpecific" } };

export const NETWORK_DEFAULTS: Readonly<Record<string, DefaultRules>> = {
  "core/v1.EndpointPort": { fields: { protocol: "TCP" } },
  "core/v1.ServicePort": { fields: { protocol: "TCP" } },
  "discovery/v1.EndpointPort": SLICE_PORT,
  "discovery/v1beta1.EndpointPort": SLICE_PORT,
  "networking/v1.NetworkPolicyPort": { fields: { protocol: "TCP" } },
  "networking/v1beta1.HTTPIngressPath": PATH,
  "extensions/v1beta1.HTTPIngressPath": PATH,
};
