/** A text as JSON. Nearly all that stands in events needs no escapes. */
export const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

/** What is made of words that come again and again: few programs ask, of few kinds, from few places. */
export function remembered(make: (word: string) => string): (word: string) => string {
  const words = new Map<string, string>();
  return (word) => {
    let text = words.get(word);
    if (text === undefined) {
      text = flat(make(word));
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
