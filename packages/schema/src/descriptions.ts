// What the schema of record says to people of its types and fields: the comments in proto/. Only the published schema needs
// them, so they are loaded when that is made.
import { type FileRecord, resolveReferences, splitReference } from "./descriptor-record";
import type { RecordSource } from "./type-loader";
import type { Vocabulary } from "./vocabulary/vocabulary";

export interface Descriptions {
  /**
   * @param id the file, as in Schema.type
   * @param field by its JSON name; without one, what is said of the type itself
   * @throws Error when a text of the file refers to what the vocabulary does not have
   */
  of(id: string, type: string, field?: string): string | undefined;
}

/** Type → field by JSON name, "" for the type itself → text. */
type FileTexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function loadDescriptions(vocabulary: Vocabulary, records: RecordSource): Descriptions {
  // Not an import: a server that publishes no schema never reads the texts.
  const { DESCRIPTION_TEXTS } =
    require("./generated/description-texts") as typeof import("./generated/description-texts");
  return new LoadedDescriptions(DESCRIPTION_TEXTS, vocabulary, records);
}

class LoadedDescriptions implements Descriptions {
  private readonly parsed = new Map<string, FileTexts>();

  constructor(
    /** By file, as JSON. */
    private readonly texts: Readonly<Record<string, string>>,
    private readonly vocabulary: Vocabulary,
    private readonly records: RecordSource,
  ) {}

  /** Each file is parsed when something in it is asked for, as all at once would hold other work up. */
  private ofFile(id: string): FileTexts {
    const known = this.parsed.get(id);
    if (known !== undefined) return known;
    const texts = JSON.parse(resolveReferences(this.texts[id] ?? "{}", this.vocabulary)) as FileTexts;
    this.parsed.set(id, texts);
    return texts;
  }

  of(id: string, type: string, field = ""): string | undefined {
    const file = this.records(id);
    const alias = file?.aliases?.[type];
    if (alias !== undefined) return this.of(...splitReference(alias, id), field);
    const own = this.ofFile(id)[type]?.[field];
    return own ?? (field === "" ? undefined : this.inlined(file, id, type, field));
  }

  /** A field that JSON writes inline is described in the message that declares it. */
  private inlined(file: FileRecord | undefined, id: string, type: string, field: string): string | undefined {
    const record = file?.types?.[type];
    if (record?.root && (field === "kind" || field === "apiVersion")) return this.of("runtime", "TypeMeta", field);
    for (const inline of record?.fields ?? []) {
      const text = inline.inline ? this.of(...splitReference(inline.type, id), field) : undefined;
      if (text !== undefined) return text;
    }
    return undefined;
  }
}
