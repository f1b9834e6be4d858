/** An invalid client configuration: the message names the file, the field or the name. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}
