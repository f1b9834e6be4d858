// JSON-quoted texts that know whether they are ASCII: an ASCII text is written in a third of the time.
export interface Text {
  readonly text: string;
  /** Whether all characters are known to be ASCII. */
  readonly isAscii: boolean;
}

/** Nearly all texts in events need no escapes. */
export const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

/** Passes texts through and records whether all of them are ASCII. */
export class PassedTexts {
  isAscii = true;

  known({ text, isAscii }: Text): string {
    if (!isAscii) this.isAscii = false;
    return text;
  }

  /** Returns the quoted content of a text that is not cached. */
  inQuotes(text: string): string {
    if (PLAIN.test(text)) return text;
    const escaped = JSON.stringify(text).slice(1, -1);
    if (!ASCII.test(escaped)) this.isAscii = false;
    return escaped;
  }
}

export const textOf = (text: string): Text => ({ text, isAscii: ASCII.test(text) });

/** Caches results by word: requests come from few programs and addresses, for few kinds. */
export function remembered(make: (word: string) => string): (word: string) => Text {
  const words = new Map<string, Text>();
  return (word) => {
    let text = words.get(word);
    if (text === undefined) {
      text = textOf(flat(make(word)));
      if (words.size >= WORDS_MAX) words.clear();
      if (word.length <= WORD_LENGTH_MAX) words.set(word, text);
    }
    return text;
  };
}

const WORDS_MAX = 2000;
const WORD_LENGTH_MAX = 200;

export const quotedWord = remembered(quoted);

/** Flattens a concatenated string, which every copy would traverse as a tree of its parts. */
const flat = (text: string): string => Buffer.from(text).toString();

const PLAIN = /^[\w\-./:@ ?=&%,()*+;$~!#'|<>{}[\]^`]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is about all of ASCII
const ASCII = /^[\x00-\x7f]*$/;
