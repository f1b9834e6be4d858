// Texts for `Warning` headers. Source: facts, http.md "Warnings".

const TOTAL_MAX_RUNES = 4096;
const CUT_TO_RUNES = 256;

/** The warnings of one answer: no duplicates, no control characters, bounded in sum. */
export class WarningTexts {
  private readonly texts = new Set<string>();

  add(text: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    if (text === "" || /[\u0000-\u001f\u007f]/.test(text)) return;
    this.texts.add(text);
  }

  /** Header values in the order of arrival. */
  headers(): string[] {
    const runes = [...this.texts].map((text) => [...text]);
    const total = runes.reduce((sum, text) => sum + text.length, 0);
    const cut = total > TOTAL_MAX_RUNES ? runes.map((text) => text.slice(0, CUT_TO_RUNES)) : runes;
    let budget = TOTAL_MAX_RUNES;
    const values: string[] = [];
    for (const text of cut) {
      if (text.length > budget) break;
      budget -= text.length;
      const quoted = text.join("").replace(/["\\]/g, "\\$&");
      // Header values are bytes to Node: a character above U+00FF is sent as its UTF-8 bytes.
      values.push(`299 - "${Buffer.from(quoted).toString("latin1")}"`);
    }
    return values;
  }
}
