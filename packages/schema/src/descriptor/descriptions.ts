// Descriptions of the types and fields of the built-in schema: the comments in proto/. They are loaded when the OpenAPI
// documents are built.

import type { Vocabulary } from "../vocabulary/vocabulary";
import { type FileRecord, resolveReferences, splitReference } from "./descriptor-record";
import type { RecordSource } from "./type-loader";

export interface Descriptions {
  /**
   * Returns a description.
   * @param id the file, as in Schema.type
   * @param field JSON name of a field; absent: the description of the type itself
   * @throws Error when the file refers to a name that the vocabulary does not have
   */
  of(id: string, type: string, field?: string): string | undefined;
}

/** Type → JSON name of the field, "" for the type itself → text. */
type FileTexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function loadDescriptions(vocabulary: Vocabulary, records: RecordSource): Descriptions {
  // Loaded with require: a server that publishes no OpenAPI documents never loads the texts.
  const { DESCRIPTION_TEXTS } =
    require("../generated/description-texts") as typeof import("../generated/description-texts");
  return new LoadedDescriptions(DESCRIPTION_TEXTS, vocabulary, records);
}

class LoadedDescriptions implements Descriptions {
  private readonly parsed = new Map<string, FileTexts>();

  constructor(
    /** Texts by file, as JSON. */
    private readonly texts: Readonly<Record<string, string>>,
    private readonly vocabulary: Vocabulary,
    private readonly records: RecordSource,
  ) {}

  /** Returns the texts of a file, parsed at its first use: parsing all files at once would block other work. */
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

  /** Returns the description of a field that JSON writes inline, from the message that declares it. */
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
