// Texts as JSON, and what is known of them: a text whose characters are each one byte in UTF-8 is written in a third of the time.
export interface Text {
  readonly text: string;
  /** Known to have no other characters. */
  readonly isAscii: boolean;
}

/** Nearly all that stands in events needs no escapes. */
export const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

/** Passes texts on, and knows whether all of them were ASCII. */
export class PassedTexts {
  isAscii = true;

  known({ text, isAscii }: Text): string {
    if (!isAscii) this.isAscii = false;
    return text;
  }

  /** What stands between the quotes of a text that comes once. */
  inQuotes(text: string): string {
    if (PLAIN.test(text)) return text;
    const escaped = JSON.stringify(text).slice(1, -1);
    if (!ASCII.test(escaped)) this.isAscii = false;
    return escaped;
  }
}

export const textOf = (text: string): Text => ({ text, isAscii: ASCII.test(text) });

/** What is made of words that come again and again: few programs ask, of few kinds, from few places. */
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

/** A text that was put together is a tree of its parts, which whoever copies it walks each time. */
const flat = (text: string): string => Buffer.from(text).toString();

const PLAIN = /^[\w\-./:@ ?=&%,()*+;$~!#'|<>{}[\]^`]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is about all of ASCII
const ASCII = /^[\x00-\x7f]*$/;
