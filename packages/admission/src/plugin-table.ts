// Every plugin that flags can name, in the one order in which plugins run. Source: facts, admission/chain.md.
import type { PluginFactory } from "./plugin";
import { certificateApproval } from "./plugins/certificate-approval";
import { certificateSigning } from "./plugins/certificate-signing";
import { certificateSubjectRestriction } from "./plugins/certificate-subject-restriction";
import { namespaceLifecycle } from "./plugins/namespace-lifecycle";

interface PluginRow {
  readonly plugin: PluginFactory;
  readonly onByDefault: boolean;
}

const PLUGINS: readonly PluginRow[] = [
  { plugin: namespaceLifecycle, onByDefault: true },
  { plugin: certificateApproval, onByDefault: true },
  { plugin: certificateSigning, onByDefault: true },
  { plugin: certificateSubjectRestriction, onByDefault: true },
];

export interface PluginFlags {
  /** `--enable-admission-plugins` */
  readonly enable: readonly string[];
  /** `--disable-admission-plugins` */
  readonly disable: readonly string[];
}

/**
 * The plugins that are on, in the order of the chain: the order in the flags means nothing.
 * @throws Error for an unknown name, and for one that stands in both flags
 */
export function enabledPlugins(
  { enable, disable }: PluginFlags,
  table: readonly PluginRow[] = PLUGINS,
): PluginFactory[] {
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

/** For `--help`: the names that are on when no flag says otherwise. */
export function defaultPluginNames(table: readonly PluginRow[] = PLUGINS): string[] {
  return table.filter(({ onByDefault }) => onByDefault).map(({ plugin }) => plugin.name);
}

function refuseUnknown(flag: string, names: readonly string[], table: readonly PluginRow[]): void {
  const unknown = names.find((name) => !table.some(({ plugin }) => plugin.name === name));
  if (unknown !== undefined) throw new Error(`${flag} plugin ${JSON.stringify(unknown)} is unknown`);
}
