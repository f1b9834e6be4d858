// Options of commands that have the name of an option of all commands, and another meaning: `--user` of
// `create rolebinding` and `set subject` is a subject.
const SUBJECT_COMMANDS: Readonly<Record<string, ReadonlySet<string>>> = {
  create: new Set(["rolebinding", "clusterrolebinding"]),
  set: new Set(["subject"]),
};

/** Returns the words with the own names of such options. */
export function withOwnOptions(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => Object.hasOwn(SUBJECT_COMMANDS, word));
  const named = SUBJECT_COMMANDS[words[at] ?? ""];
  if (named === undefined || !words.slice(at + 1).some((word) => named.has(word))) return words;
  return words.map((word, place) => (place > at ? word.replace(/^--user(?==|$)/, "--subject-user") : word));
}
