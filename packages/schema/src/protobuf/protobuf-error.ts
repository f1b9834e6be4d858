const PATH_MAX = 1_000;

/**
 * Bytes that are no message of their type.
 * `path` is spelt as DecodeError's: in JSON's names, "" for the object itself.
 */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";

  constructor(
    /** Such as "the data ends within a field". */
    readonly why: string,
    readonly path = "",
  ) {
    super(path === "" ? why : `${path}: ${why}`);
  }

  /** The error as seen from the message that holds this one. @param step a field's name, "" for an inline message */
  within(step: string): ProtobufError {
    const joint = step === "" || this.path === "" || this.path.startsWith("[") ? "" : ".";
    const path = `${step}${joint}${this.path}`;
    return new ProtobufError(this.why, path.length > PATH_MAX ? `…${path.slice(-PATH_MAX)}` : path);
  }
}
