// Errors of the command line itself. The text is one line that names what is wrong and the remedy.
export class CliError extends Error {
  override readonly name = "CliError";

  /** @param exitCode code with which the command ends */
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}
