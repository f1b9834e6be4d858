const WHOLE = /^[A-Za-z0-9+/]*={0,2}$/;
/** Last three characters of a text whose unused bits are zero. */
const CLEAN_END = /(?:^|[A-Za-z0-9+/]|[AQgw]==|[AEIMQUYcgkosw048]=)$/;

/**
 * Returns base64 in the standard alphabet, padded, on one line and with zero unused bits.
 * @param text may contain line breaks
 * @returns undefined for other text
 */
export function canonicalBase64(text: string): string | undefined {
  const line = text.includes("\n") || text.includes("\r") ? text.replace(/[\r\n]/g, "") : text;
  if (line.length % 4 !== 0 || !WHOLE.test(line)) return undefined;
  return CLEAN_END.test(line.slice(-3)) ? line : Buffer.from(line, "base64").toString("base64");
}
