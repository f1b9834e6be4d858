// What a header can say of a text that goes to another server.

/** Whether one that is written there comes out as it was: nothing in it ends the header, and nothing around it is lost on the way. */
export const survivesHeaders = (text: string): boolean => !CHANGED.test(text);

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come into a header
const CHANGED = /[\x00-\x08\x0a-\x1f\x7f]|^[ \t]|[ \t]$/;
