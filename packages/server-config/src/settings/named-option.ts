// Adds the option name to errors of option values.

import { ConfigurationError } from "@orch/machinery";
import type { ServerConfig } from "../flags/server-flags";
import { SettingsError } from "./settings";

/** @throws SettingsError that names the option, one line per fault */
export async function namingOption<Made>(option: keyof ServerConfig, act: () => Made | Promise<Made>): Promise<Made> {
  try {
    return await act();
  } catch (error) {
    const lines = error instanceof ConfigurationError ? error.lines : [(error as Error).message];
    // Lines that already name an option stay as they are.
    throw new SettingsError(lines.map((line) => (line.startsWith("--") ? line : `--${option}: ${line}`)));
  }
}
