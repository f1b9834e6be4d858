// Resolves the addresses of services that the server calls.
import { type ServiceResolver, serviceResolver } from "@orch/extensions";
import type { ServerConfig } from "@orch/server-config";
import type { ResourceStorages } from "./resource-storages";

export const servicesOf = (
  config: Pick<ServerConfig, "enable-aggregator-routing">,
  { services, endpoints }: Pick<ResourceStorages, "services" | "endpoints">,
): ServiceResolver =>
  serviceResolver({ services, endpoints, byEndpoints: config["enable-aggregator-routing"], random: Math.random });
