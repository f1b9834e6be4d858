// Translation of names between the two vocabularies, for objects that move from a server of one to a server of the other.
import { type Vocabulary, type VocabularyName, vocabularyOf } from "./vocabulary";

/** Tables of names that no other text equals: they contain a domain of the product, or a prefix of the system. */
const UNMISTAKABLE = [
  "labels",
  "annotations",
  "annotationValues",
  "taints",
  "finalizers",
  "conditionTypes",
  "secretTypes",
  "resourceNames",
  "controllerReporters",
  "signers",
  "userExtraKeys",
  "labelValues",
  "mountPaths",
  "users",
  "userGroups",
  "rbacNames",
  "schemaExtensions",
  "schemaFormats",
] as const;

/** Longer texts are no names. */
const NAME_LENGTH_MAX = 512;

type Names = ReadonlyMap<string, string>;

export class NameTranslation {
  private readonly exact: Names;
  /** Names with this beginning, which ends with a slash or a colon. */
  private readonly beginnings: Names;
  /** Names with this part in the middle, such as names of quotas of storage classes. */
  private readonly middles: Names;
  private readonly groups: Names;
  private readonly namespaces: Names;
  private readonly finalizers: Names;
  private readonly accessNames: Names;
  private readonly flowSchemas: Names;
  private readonly managers: Names;
  private readonly mention: RegExp;
  /** Beginning of the volumes with the token of a pod. */
  private readonly apiAccess: readonly [from: string, to: string];

  constructor(from: VocabularyName, to: VocabularyName) {
    const [one, other] = [vocabularyOf(from), vocabularyOf(to)];
    const rows = UNMISTAKABLE.flatMap((kind) => rowsOf(one[kind], other[kind])).filter(([name]) => isQualified(name));
    const ends = (name: string) => name.endsWith("/") || name.endsWith(":");
    this.exact = new Map([
      ...rows.filter(([name]) => !ends(name) && !name.includes("*")),
      [one.objectNames.rootCaCrt, other.objectNames.rootCaCrt],
    ]);
    this.beginnings = new Map(rows.filter(([name]) => ends(name) && !name.startsWith(".")));
    this.middles = new Map(rows.filter(([name]) => name.startsWith(".")));
    this.groups = new Map(rowsOf(one.groups, other.groups));
    this.namespaces = new Map(rowsOf(one.namespaces, other.namespaces));
    this.finalizers = new Map(rowsOf(one.finalizers, other.finalizers));
    this.accessNames = new Map(
      ["users", "rbacNames"].flatMap((kind) => rowsOf(tableOf(one, kind), tableOf(other, kind))),
    );
    this.flowSchemas = new Map(rowsOf(one.flowSchemas, other.flowSchemas));
    this.managers = new Map(rowsOf(one.fieldManagers, other.fieldManagers));
    this.apiAccess = [one.objectNames.apiAccess, other.objectNames.apiAccess];
    const domains = [one.groups.storage.replace(/^storage\./, ""), one.resourceNames.product.slice(0, -1)];
    this.mention = new RegExp(
      `(?:[a-z0-9-]+\\.)*(?<![\\w-])(?:${[...new Set(domains)].map((domain) => domain.replaceAll(".", "\\.")).join("|")})(?![\\w-])(?:/[\\w.-]+)?`,
    );
  }

  /** Translates a name of any kind that cannot be mistaken for another text. Other texts are returned unchanged. */
  name(text: string): string {
    if (text.length > NAME_LENGTH_MAX) return text;
    const [from, to] = this.apiAccess;
    if (text.startsWith(from)) return to + text.slice(from.length);
    return this.exact.get(text) ?? this.withBeginning(text) ?? this.withMiddle(text) ?? this.withGroup(text) ?? text;
  }

  group(text: string): string {
    return this.groups.get(text) ?? text;
  }

  apiVersion(text: string): string {
    const at = text.indexOf("/");
    return at === -1 ? text : this.group(text.slice(0, at)) + text.slice(at);
  }

  namespace(text: string): string {
    return this.namespaces.get(text) ?? text;
  }

  finalizer(text: string): string {
    return this.finalizers.get(text) ?? this.name(text);
  }

  /** Translates the name of a user, a group of users, a role or a binding. */
  accessName(text: string): string {
    return this.accessNames.get(text) ?? this.name(text);
  }

  flowSchema(text: string): string {
    return this.flowSchemas.get(text) ?? text;
  }

  fieldManager(text: string): string {
    return this.managers.get(text) ?? text;
  }

  /** Returns the first name of the source vocabulary within a text; undefined if there is none. */
  mentioned(text: string): string | undefined {
    return this.mention.exec(text)?.[0];
  }

  private withBeginning(text: string): string | undefined {
    for (let at = text.length; at > 0; at -= 1) {
      const character = text[at - 1];
      if (character !== "/" && character !== ":") continue;
      const found = this.beginnings.get(text.slice(0, at));
      if (found !== undefined) return found + text.slice(at);
    }
    return undefined;
  }

  private withMiddle(text: string): string | undefined {
    for (const [from, to] of this.middles) {
      const at = text.indexOf(from);
      if (at > 0) return text.slice(0, at) + to + text.slice(at + from.length);
    }
    return undefined;
  }

  /** Translates `roles.GROUP`, `v1.GROUP` and `count/roles.GROUP`. */
  private withGroup(text: string): string | undefined {
    const own = this.groups.get(text);
    if (own !== undefined) return own;
    for (let at = text.indexOf("."); at !== -1; at = text.indexOf(".", at + 1)) {
      const found = this.groups.get(text.slice(at + 1));
      if (found !== undefined) return text.slice(0, at + 1) + found;
    }
    return undefined;
  }
}

const tableOf = (vocabulary: Vocabulary, kind: string) =>
  (vocabulary as unknown as Readonly<Record<string, Readonly<Record<string, string>>>>)[kind] ?? {};

const rowsOf = (
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): [from: string, to: string][] => Object.entries(one).map(([id, name]) => [name, other[id] ?? name]);

/** Tells whether a name has a domain, a prefix of the system or of schema extensions, or is a path. */
const isQualified = (name: string): boolean => /\.io\b|^system:|^x-|^\/|[a-z]-[a-z]+-name|^[A-Z]/.test(name);
