// What headers say of a user, as it was meant.

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The run time makes a character of each byte; what was written is UTF-8 as a rule. */
export function textOf(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  try {
    return UTF8.decode(Buffer.from(value, "latin1"));
  } catch {
    return value;
  }
}

/** A key that is part of a header's name, where many characters are only to be had percent-encoded. One that is not well encoded stays. */
export function decodedKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
