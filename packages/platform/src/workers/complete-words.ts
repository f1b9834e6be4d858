// The command line of a program together with the file of `--config`. Nothing more is loaded when no file is named.

interface CompletedWords {
  readonly words: readonly string[];
  /** One line each. */
  readonly errors: readonly string[];
}

/**
 * Returns the command line with the flags of the file in front.
 * @param complete adds the flags of the file
 * @returns undefined when the file has errors: they are printed, and the exit code is set
 */
export function completeWords(
  words: readonly string[],
  complete: (words: readonly string[]) => CompletedWords,
): readonly string[] | undefined {
  if (!words.some((word) => word === "--config" || word.startsWith("--config="))) return words;
  const completed = complete(words);
  if (completed.errors.length === 0) return completed.words;
  process.stderr.write(completed.errors.map((line) => `error: ${line}\n`).join(""));
  process.exitCode = 1;
  return undefined;
}
