// How large the head of a request may be. Over HTTP/1.1 its parser sees to it; over HTTP/2 a few bytes may stand for much.

export const HEADERS_MAX_BYTES = 64 * 1024;
/** Of each header beside its name and its value, as HTTP/1.1 has them. */
const MARKS_BYTES = 4;

/** @param rawHeaders names and values in turn */
export function headersAreTooLarge(rawHeaders: readonly string[]): boolean {
  let bytes = rawHeaders.length * (MARKS_BYTES / 2);
  for (const text of rawHeaders) bytes += text.length;
  return bytes > HEADERS_MAX_BYTES;
}
