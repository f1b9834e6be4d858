// Which plugins are on. Source: facts, admission/chain.md "Selecting plugins".
import { existsIn } from "@orch/schema";
import { EVERY_PLUGIN } from "./every-plugin";
import type { PluginFactory } from "./plugin";
import { PLUGIN_ORDER, type PluginPlace } from "./plugin-order";

export interface PluginRow {
  readonly plugin: PluginFactory;
  readonly onByDefault: boolean;
}

export interface PluginFlags {
  /** `--enable-admission-plugins` */
  readonly enable: readonly string[];
  /** `--disable-admission-plugins` */
  readonly disable: readonly string[];
}

/** The plugins that a release has, in the order of the chain. */
export function pluginsOf(
  release: string,
  order: readonly PluginPlace[] = PLUGIN_ORDER,
  every: readonly PluginFactory[] = EVERY_PLUGIN,
): readonly PluginRow[] {
  return order.flatMap(({ name, onByDefault: on, lifecycle = {} }) => {
    const plugin = every.find((each) => each.name === name);
    if (plugin === undefined || !existsIn(lifecycle, release)) return [];
    return [{ plugin, onByDefault: typeof on === "boolean" ? on : existsIn(on, release) }];
  });
}

/**
 * The plugins that are on, in the order of the chain: the order in the flags means nothing.
 * @throws Error for an unknown name, and for one that stands in both flags
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
 * Those of `--admission-control`, the complete list, in the order of the chain.
 * @throws Error for an unknown name
 */
export function listedPlugins(names: readonly string[], table: readonly PluginRow[]): PluginFactory[] {
  refuseUnknown("admission-control", names, table);
  return table.flatMap(({ plugin }) => (names.includes(plugin.name) ? [plugin] : []));
}

/** The names that are on when no flag says otherwise. */
export function defaultPluginNames(table: readonly PluginRow[]): string[] {
  return table.filter(({ onByDefault }) => onByDefault).map(({ plugin }) => plugin.name);
}

function refuseUnknown(flag: string, names: readonly string[], table: readonly PluginRow[]): void {
  const unknown = names.find((name) => !table.some(({ plugin }) => plugin.name === name));
  if (unknown !== undefined) throw new Error(`${flag} plugin ${JSON.stringify(unknown)} is unknown`);
}
