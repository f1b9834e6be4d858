// Options of admission plugins that come from command line flags.
import type { PluginOptions } from "@orch/admission";
import type { ServerConfig, Settings } from "@orch/server-config";

export function pluginOptions(config: ServerConfig, { gates }: Pick<Settings, "gates">): PluginOptions {
  const known = gates as Readonly<Record<string, boolean>>;
  return {
    notReadyTolerationSeconds: config["default-not-ready-toleration-seconds"],
    unreachableTolerationSeconds: config["default-unreachable-toleration-seconds"],
    isOn: (gate) => known[gate] === true,
  };
}
