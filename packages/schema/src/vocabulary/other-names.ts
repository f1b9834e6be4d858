// The names of the other vocabulary: configuration files may have its group names, for they are no stored objects, and its clients are told of
// the option that serves them.
import { VOCABULARY_NAMES, type Vocabulary, type VocabularyName, vocabularyOf } from "./vocabulary";

const others = new Map<VocabularyName, ReadonlyMap<string, string>>();

/** By each group name of the other vocabulary, the one of this. */
function ownNames({ name, groups }: Vocabulary): ReadonlyMap<string, string> {
  const known = others.get(name);
  if (known !== undefined) return known;
  const own: Readonly<Record<string, string>> = groups;
  const made = new Map(
    VOCABULARY_NAMES.filter((each) => each !== name).flatMap((each) =>
      Object.entries(vocabularyOf(each).groups).flatMap(([id, group]): [string, string][] =>
        own[id] === undefined ? [] : [[group, own[id]]],
      ),
    ),
  );
  others.set(name, made);
  return made;
}

/** Returns this vocabulary's name of a group that the other one calls `name`; undefined where it calls none so. */
export function ownGroupName(vocabulary: Vocabulary, name: string): string | undefined {
  return ownNames(vocabulary).get(name);
}

/** Returns the names that a group may have been meant by: its own, and this vocabulary's where `name` is the other one's. */
export function groupNames(vocabulary: Vocabulary, name: string): readonly string[] {
  const own = ownGroupName(vocabulary, name);
  return own === undefined ? [name] : [name, own];
}

/** Returns an `apiVersion` with this vocabulary's name of its group; any other value as it is. */
export function ownApiVersion<Value>(vocabulary: Vocabulary, apiVersion: Value): Value | string {
  if (typeof apiVersion !== "string") return apiVersion;
  const [group = "", version] = apiVersion.split("/");
  const own = ownGroupName(vocabulary, group);
  return own === undefined || version === undefined ? apiVersion : `${own}/${version}`;
}

/**
 * Returns what to tell a client that sends a name of the other vocabulary, such as a media type or an API group; undefined where `name` is
 * none of its names.
 */
export function otherVocabularyHint(vocabulary: Vocabulary, name: string): string | undefined {
  const other = namedIn(vocabulary, name);
  return other === undefined
    ? undefined
    : `${JSON.stringify(name)} is a name of the ${other} vocabulary, ${remedy(vocabulary, other)}`;
}

/**
 * Returns what to tell the command-line client of the other vocabulary for a command that reads names which this server does not publish;
 * undefined for any other client.
 * @param headers as node:http gives them @param command such as `explain`
 */
export function otherClientHint(
  vocabulary: Vocabulary,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  command: string,
): string | undefined {
  for (const each of VOCABULARY_NAMES) {
    if (each === vocabulary.name) continue;
    const { headers: names, programs } = vocabularyOf(each);
    const told = headers[names.orchctlCommand.toLowerCase()];
    if (typeof told === "string" && told.split(" ").includes(command))
      return `${programs.orchctl} ${command} reads names of the ${each} vocabulary, ${remedy(vocabulary, each)}`;
  }
  return undefined;
}

const remedy = (vocabulary: Vocabulary, other: VocabularyName): string =>
  `and this server speaks ${vocabulary.name}: start one with --vocabulary ${other}, on a store of its own, for such clients`;

function namedIn(vocabulary: Vocabulary, name: string): VocabularyName | undefined {
  return VOCABULARY_NAMES.find((each) => {
    if (each === vocabulary.name || name === "") return false;
    const { groups, mediaTypes, openapiModelPrefixes } = vocabularyOf(each);
    return (
      Object.values(groups).includes(name) ||
      Object.values(mediaTypes).includes(name) ||
      Object.values(openapiModelPrefixes).some((prefix) => name.startsWith(prefix))
    );
  });
}
