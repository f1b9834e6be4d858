/** A text as JSON. Nearly all that stands in events needs no escapes. */
export const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

const PLAIN = /^[\w\-./:@ ?=&%,()*+;$~!#'|<>{}[\]^`]*$/;
