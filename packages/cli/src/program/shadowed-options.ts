// Options of commands that have the name of an option of all commands, and another meaning: `--user` of
// `create rolebinding` is a subject.
const SUBJECT_COMMANDS: ReadonlySet<string> = new Set(["rolebinding", "clusterrolebinding"]);

/** Returns the words with the own names of such options. */
export function withOwnOptions(words: readonly string[]): readonly string[] {
  const at = words.indexOf("create");
  const isBinding = at !== -1 && words.slice(at + 1).some((word) => SUBJECT_COMMANDS.has(word));
  if (!isBinding) return words;
  return words.map((word, place) => (place > at ? word.replace(/^--user(?==|$)/, "--subject-user") : word));
}
