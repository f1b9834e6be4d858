/** @returns the lines of a ConfigurationError; none when the configuration is valid */
export async function wrongLines(read: Promise<unknown>): Promise<readonly string[]> {
  try {
    await read;
    return [];
  } catch (error) {
    if (error instanceof Error && error.name === "ConfigurationError" && "lines" in error)
      return error.lines as readonly string[];
    throw error;
  }
}
