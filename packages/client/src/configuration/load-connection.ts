// Selection of the API server from explicit options, files or the cluster environment.
import { ConfigurationError, type ConnectionSettings } from "../connection/connection-settings";
import { inClusterConnection } from "./in-cluster";
import { type LoadOptions, loadConfiguration } from "./load-configuration";
import { type ContextChoice, resolveContext } from "./resolve-context";

/**
 * Loads the connection from the named file, else from the files of the environment or the home, else, if these are
 * empty, from the environment of a pod.
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
