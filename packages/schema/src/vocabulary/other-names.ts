// Files of configuration are written with the group names of either vocabulary: they are no stored objects.
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
