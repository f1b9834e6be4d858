// Decoding of user attributes in HTTP headers.

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Decodes a header value as UTF-8. Node.js returns each byte as one character. A value that is not valid UTF-8 is
 * returned as it is.
 */
export function textOf(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  try {
    return UTF8.decode(Buffer.from(value, "latin1"));
  } catch {
    return value;
  }
}

/** Decodes a percent-encoded key in a header name. A key with invalid encoding is returned as it is. */
export function decodedKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
