// Host and port at which clients are told to reach this server.

import { advertisedAddress, endpointAddress } from "@orch/http-server";
import type { ServerConfig } from "@orch/server-config";
import { ISSUER_PATHS, type IssuerDiscovery, isDiscoverable } from "../handlers/issuer-discovery";
import type { AccountKeys } from "./account-keys";

export class AdvertisedAddress {
  /** @param port read at each call, because it may be an ephemeral port */
  constructor(
    private readonly config: ServerConfig,
    private readonly port: () => number,
  ) {}

  /** An address of this machine. */
  get ip(): string {
    const { config } = this;
    return advertisedAddress({ bindAddress: config["bind-address"], advertiseAddress: config["advertise-address"] });
  }

  /** The address in the Endpoints of the API server's service, when there is one that other machines reach. */
  get endpointIp(): string | undefined {
    const { config } = this;
    return endpointAddress({ bindAddress: config["bind-address"], advertiseAddress: config["advertise-address"] });
  }

  get host(): string {
    return this.config["external-hostname"] || this.ip;
  }

  /** `host:port` */
  get text(): string {
    return `${this.host}:${this.port()}`;
  }

  get url(): string {
    return `https://${inUrl(this.host)}:${this.port()}`;
  }

  /** Token issuer discovery documents of this server; undefined when clients cannot reach them. */
  issuerDiscovery({ issuer, issuers, published }: AccountKeys): IssuerDiscovery | undefined {
    const [name = ""] = issuers;
    if (issuer === undefined || !isDiscoverable(name)) return undefined;
    const named = this.config["service-account-jwks-uri"];
    return { issuer: name, keysUri: () => named || `${this.url}${ISSUER_PATHS.keys}`, keys: () => published() };
  }
}

const inUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host);
