// Adds the option name to errors of option values.

import { faultsOf } from "@orch/machinery";
import type { ServerConfig } from "../flags/server-flags";
import { SettingsError } from "./settings";

/** @throws SettingsError that names the option, one line per fault */
export async function namingOption<Made>(option: keyof ServerConfig, act: () => Made | Promise<Made>): Promise<Made> {
  try {
    return await act();
  } catch (error) {
    // Lines that already name an option stay as they are.
    throw new SettingsError(faultsOf(error).map((line) => (line.startsWith("--") ? line : `--${option}: ${line}`)));
  }
}
