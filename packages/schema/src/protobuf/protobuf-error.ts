const PATH_MAX = 1_000;

/**
 * Bytes that are not a message of their type. `path` is spelled like that of DecodeError: with JSON names, "" for the
 * object itself.
 */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";

  constructor(
    /** Reason, such as "the data ends within a field". */
    readonly why: string,
    readonly path = "",
  ) {
    super(path === "" ? why : `${path}: ${why}`);
  }

  /**
   * Returns the error with the path from the enclosing message.
   * @param step a field's name, "" for an inline message
   */
  within(step: string): ProtobufError {
    const joint = step === "" || this.path === "" || this.path.startsWith("[") ? "" : ".";
    const path = `${step}${joint}${this.path}`;
    return new ProtobufError(this.why, path.length > PATH_MAX ? `…${path.slice(-PATH_MAX)}` : path);
  }
}
