// Limit of the head of a request. The HTTP/1.1 parser enforces its own; in HTTP/2 a few bytes may stand for large
// headers.

export const HEADERS_MAX_BYTES = 64 * 1024;
/** Bytes per header beside name and value, as in HTTP/1.1. */
const MARKS_BYTES = 4;

/** @param rawHeaders names and values in turn */
export function headersAreTooLarge(rawHeaders: readonly string[]): boolean {
  let bytes = rawHeaders.length * (MARKS_BYTES / 2);
  for (const text of rawHeaders) bytes += text.length;
  return bytes > HEADERS_MAX_BYTES;
}
