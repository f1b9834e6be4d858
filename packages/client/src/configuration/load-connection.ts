// How a program finds its API server when it is told nothing, or little.
import type { ConnectionSettings } from "../connection/connection-settings";
import { ConfigurationError } from "./configuration-error";
import { inClusterConnection } from "./in-cluster";
import { type LoadOptions, loadConfiguration } from "./load-configuration";
import { type ContextChoice, resolveContext } from "./resolve-context";

/**
 * A named file; else the files of the environment or the home; else, where these say nothing, the cluster that the program runs in.
 * @throws ConfigurationError
 */
export function loadConnection(options: LoadOptions & ContextChoice = {}): ConnectionSettings {
  const configuration = loadConfiguration(options);
  const saysNothing = configuration.clusters.size === 0 && configuration.contexts.size === 0;
  if (options.path === undefined && saysNothing) {
    const inside = inClusterConnection(options);
    if (inside !== undefined) return options.namespace ? { ...inside, namespace: options.namespace } : inside;
    throw new ConfigurationError("invalid configuration: no configuration has been provided");
  }
  return resolveContext(configuration, options);
}
