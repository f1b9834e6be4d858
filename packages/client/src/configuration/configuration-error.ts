/** The client was told something that it cannot work with: a file, a field, a name. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}
