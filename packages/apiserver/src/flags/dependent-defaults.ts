// Defaults of options that depend on what else the command line says.
import type { ServerConfig } from "./server-flags";

/** Options that say that clients on other machines are expected. */
const MEANT_FOR_OTHERS = ["advertise-address", "external-hostname", "tls-cert-file", "tls-sni-cert-key"] as const;
const ALL_INTERFACES = "0.0.0.0";

/**
 * Fills in `--bind-address` and `--authorization-mode` where the command line leaves them out. A server that was told nothing listens on
 * loopback alone.
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
