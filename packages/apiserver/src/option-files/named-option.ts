// Who starts the server is told which option is wrong.
import type { ServerConfig } from "../flags/server-flags";
import { SettingsError } from "../flags/settings";
import { ConfigurationError } from "./configuration-document";

/** @throws SettingsError that names the option, in a line for each thing that is wrong with what it says */
export async function namingOption<Made>(option: keyof ServerConfig, act: () => Made | Promise<Made>): Promise<Made> {
  try {
    return await act();
  } catch (error) {
    const lines = error instanceof ConfigurationError ? error.lines : [(error as Error).message];
    // What has been said of an option by its name already is of that one.
    throw new SettingsError(lines.map((line) => (line.startsWith("--") ? line : `--${option}: ${line}`)));
  }
}
