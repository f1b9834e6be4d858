// Defaults of options that depend on other options.
import type { ServerConfig } from "../flags/server-flags";

/** Options that indicate clients on other machines. */
const MEANT_FOR_OTHERS = ["advertise-address", "external-hostname", "tls-cert-file", "tls-sni-cert-key"] as const;
const ALL_INTERFACES = "0.0.0.0";

/**
 * Sets the defaults of `--bind-address` and `--authorization-mode`. A server without options listens on loopback only.
 * @param given names of the options that were set
 */
export function withDependentDefaults(config: ServerConfig, given: ReadonlySet<string>): ServerConfig {
  const isForOthers = MEANT_FOR_OTHERS.some((option) => given.has(option));
  const chooses = !given.has("authorization-mode") && config["authorization-config"] === "";
  const modes = config["enable-bootstrap-token-auth"] ? ["Node", "RBAC"] : ["RBAC"];
  return {
    ...config,
    ...(isForOthers && !given.has("bind-address") && { "bind-address": ALL_INTERFACES }),
    ...(chooses && { "authorization-mode": modes }),
  };
}
