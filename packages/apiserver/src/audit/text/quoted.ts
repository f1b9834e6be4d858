/** A text as JSON. Nearly all that stands in events needs no escapes. */
export const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

/** The same for words that come again and again: few programs ask, of few kinds, from few places. */
export function quotedWord(word: string): string {
  let text = words.get(word);
  if (text === undefined) {
    text = quoted(word);
    if (words.size >= WORDS_MAX) words.clear();
    if (word.length <= WORD_LENGTH_MAX) words.set(word, text);
  }
  return text;
}

const words = new Map<string, string>();
const WORDS_MAX = 2000;
const WORD_LENGTH_MAX = 200;

const PLAIN = /^[\w\-./:@ ?=&%,()*+;$~!#'|<>{}[\]^`]*$/;
