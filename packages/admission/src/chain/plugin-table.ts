// Selection of the enabled plugins by flags. Source: staging/src/k8s.io/apiserver/pkg/server/options/admission.go.
import { existsIn } from "@orch/schema";
import type { PluginFactory } from "../contract/plugin";
import { EVERY_PLUGIN } from "./every-plugin";
import { PLUGIN_ORDER, type PluginPosition } from "./plugin-order";

export interface PluginRow {
  readonly plugin: PluginFactory;
  readonly onByDefault: boolean;
}

export interface PluginFlags {
  /** Value of `--enable-admission-plugins`. */
  readonly enable: readonly string[];
  /** Value of `--disable-admission-plugins`. */
  readonly disable: readonly string[];
}

/** Returns the plugins that a release has, in the order of the chain. */
export function pluginsOf(
  release: string,
  order: readonly PluginPosition[] = PLUGIN_ORDER,
  every: readonly PluginFactory[] = EVERY_PLUGIN,
): readonly PluginRow[] {
  return order.flatMap(({ name, onByDefault: on, lifecycle = {} }) => {
    const plugin = every.find((each) => each.name === name);
    if (plugin === undefined || !existsIn(lifecycle, release)) return [];
    return [{ plugin, onByDefault: typeof on === "boolean" ? on : existsIn(on, release) }];
  });
}

/**
 * Returns the enabled plugins in the order of the chain. The order in the flags has no effect.
 * @throws Error for an unknown name, and for a name that is in both flags
 */
export function enabledPlugins({ enable, disable }: PluginFlags, table: readonly PluginRow[]): PluginFactory[] {
  refuseUnknown("enable-admission-plugins", enable, table);
  refuseUnknown("disable-admission-plugins", disable, table);
  const both = enable.filter((name) => disable.includes(name));
  if (both.length > 0) {
    throw new Error(`${both.join(", ")} in enable-admission-plugins and disable-admission-plugins overlapped`);
  }
  return table
    .filter(({ plugin: { name }, onByDefault }) => enable.includes(name) || (onByDefault && !disable.includes(name)))
    .map(({ plugin }) => plugin);
}

/**
 * Returns the plugins of `--admission-control`, which is the complete list, in the order of the chain.
 * @throws Error for an unknown name
 */
export function listedPlugins(names: readonly string[], table: readonly PluginRow[]): PluginFactory[] {
  refuseUnknown("admission-control", names, table);
  return table.flatMap(({ plugin }) => (names.includes(plugin.name) ? [plugin] : []));
}

/** Returns the names of the plugins that are enabled when no flag is given. */
export function defaultPluginNames(table: readonly PluginRow[]): string[] {
  return table.filter(({ onByDefault }) => onByDefault).map(({ plugin }) => plugin.name);
}

function refuseUnknown(flag: string, names: readonly string[], table: readonly PluginRow[]): void {
  const unknown = names.find((name) => !table.some(({ plugin }) => plugin.name === name));
  if (unknown === undefined) return;
  const known = table.map(({ plugin }) => plugin.name);
  throw new Error(`${flag} plugin ${JSON.stringify(unknown)} is unknown; the plugins are ${known.join(", ")}`);
}
