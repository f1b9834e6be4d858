// Keys are ordered by their UTF-8 bytes, JavaScript strings by their UTF-16 units. The two differ only where a surrogate (a character
// beyond U+FFFF) meets U+E000..U+FFFF: bytes put the surrogate pair last, units put it first. Moving the surrogates to the top of the
// unit range makes a string whose native `<` is byte order; nearly every key has neither and is its own order form.

const HIGH = /[\ud800-\uffff]/;
const EVERY_HIGH = /[\ud800-\uffff]/g;

/** The form of a key that native string comparison orders as the store does. One to one, so equal forms are equal keys. */
export function orderForm(key: string): string {
  if (!HIGH.test(key)) return key;
  return key.replace(EVERY_HIGH, (unit) => {
    const code = unit.charCodeAt(0);
    return String.fromCharCode(code >= 0xe000 ? code - 0x800 : code + 0x2000);
  });
}
