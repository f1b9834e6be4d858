// Options of encryption at rest.

import type { ServerConfig } from "../flags/server-flags";
import type { OptionFile } from "../option-files/reloaded-file";

const OPTION = "encryption-provider-config";
const OLD_OPTION = "experimental-encryption-provider-config";

/** @returns undefined when encryption is disabled */
export function encryptionFile(
  config: ServerConfig,
): (OptionFile & { readonly option: typeof OPTION | typeof OLD_OPTION }) | undefined {
  const option = config[OPTION] === "" ? OLD_OPTION : OPTION;
  const file = config[option];
  return file === "" ? undefined : { option, file };
}

/** Returns the errors of option combinations. */
export function encryptionOptionErrors(config: ServerConfig): readonly string[] {
  const errors: string[] = [];
  if (config[`${OPTION}-automatic-reload`] && encryptionFile(config) === undefined)
    errors.push(`--${OPTION}-automatic-reload requires --${OPTION}`);
  if (config[OPTION] !== "" && config[OLD_OPTION] !== "")
    errors.push(`--${OLD_OPTION} is the old name of --${OPTION}: set one of them`);
  return errors;
}
