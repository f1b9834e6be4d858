// Checks texts that are written to HTTP headers.

/**
 * Reports whether a text is preserved as a header value: it contains no control characters except tabs, and no leading
 * or trailing white space, which is lost in transfer.
 */
export const survivesHeaders = (text: string): boolean => !CHANGED.test(text);

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come into a header
const CHANGED = /[\x00-\x08\x0a-\x1f\x7f]|^[ \t]|[ \t]$/;
