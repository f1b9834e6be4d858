// Order of keys. Keys are ordered by their UTF-8 bytes, JavaScript strings by their UTF-16 units. The two differ only
// where a surrogate (of a character beyond U+FFFF) meets U+E000..U+FFFF: bytes sort the surrogate pair last, units sort
// it first. Moving the surrogates to the top of the unit range makes a string whose native `<` is byte order. Nearly
// every key has neither and is its own order form.

const HIGH = /[\ud800-\uffff]/;
const EVERY_HIGH = /[\ud800-\uffff]/g;

/**
 * Returns the form of a key for which native string comparison gives the store's order. One to one, so equal forms are
 * equal keys.
 */
export function orderForm(key: string): string {
  if (!HIGH.test(key)) return key;
  return key.replace(EVERY_HIGH, (unit) => {
    const code = unit.charCodeAt(0);
    return String.fromCharCode(code >= 0xe000 ? code - 0x800 : code + 0x2000);
  });
}
