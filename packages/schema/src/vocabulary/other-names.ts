// Names of the other vocabulary. Configuration files may use its group names, since they are not stored objects, and
// its clients get a message that names the option for their vocabulary.
import { VOCABULARY_NAMES, type Vocabulary, type VocabularyName, vocabularyOf } from "./vocabulary";

const others = new Map<VocabularyName, ReadonlyMap<string, string>>();

/** Returns the names of this vocabulary by the group names of the other one. */
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

/** Returns this vocabulary's name of a group with this name in the other one; undefined if there is none. */
export function ownGroupName(vocabulary: Vocabulary, name: string): string | undefined {
  return ownNames(vocabulary).get(name);
}

/**
 * Returns the possible names of a group: the given one, and this vocabulary's if the given one belongs to the other.
 */
export function groupNames(vocabulary: Vocabulary, name: string): readonly string[] {
  const own = ownGroupName(vocabulary, name);
  return own === undefined ? [name] : [name, own];
}

/** Returns an `apiVersion` with this vocabulary's group name; other values unchanged. */
export function ownApiVersion<Value>(vocabulary: Vocabulary, apiVersion: Value): Value | string {
  if (typeof apiVersion !== "string") return apiVersion;
  const [group = "", version] = apiVersion.split("/");
  const own = ownGroupName(vocabulary, group);
  return own === undefined || version === undefined ? apiVersion : `${own}/${version}`;
}

/**
 * Returns a hint for a client that sends a name of the other vocabulary, such as a media type or an API group;
 * undefined for other names.
 */
export function otherVocabularyHint(vocabulary: Vocabulary, name: string): string | undefined {
  const other = namedIn(vocabulary, name);
  return other === undefined
    ? undefined
    : `${JSON.stringify(name)} is a name of the ${other} vocabulary, ${remedy(vocabulary, other)}`;
}

/**
 * Returns a hint for the command-line client of the other vocabulary, for a command that needs names which this server
 * does not publish; undefined for other clients.
 * @param headers as in node:http
 * @param command such as `explain`
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
