// What is sent on an HTTP/1.1 connection. Values that would end their line are refused: they may come from users.
import type { TransportRequest } from "./transport";

/** No control characters, which would end a line. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const PATH = /^[\x21-\x7e\x80-\xff]+$/;
/** Whose bodies are told of even where there is none. */
const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
/** Larger bodies are not copied to stand behind their head. */
const JOINED_MAX_BYTES = 64 * 1024;

/**
 * @returns one piece, or two
 * @throws Error for a path or a header that cannot be written
 */
export function requestPieces({ method, path, headers, body }: TransportRequest, authority: string): readonly Buffer[] {
  if (!PATH.test(path)) throw new Error("the path of the request has characters that no path may have");
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${authority}\r\nconnection: keep-alive\r\n`;
  for (const name in headers) {
    const value = headers[name] as string | string[];
    if (typeof value === "string") head += line(name, value);
    else for (const each of value) head += line(name, each);
  }
  const bytes = body === undefined ? undefined : typeof body === "string" ? Buffer.from(body) : body;
  const length = bytes?.length ?? (WITH_BODY.has(method) ? 0 : undefined);
  head += length === undefined ? "\r\n" : `content-length: ${length}\r\n\r\n`;
  if (bytes === undefined) return [Buffer.from(head, "latin1")];
  if (bytes.length > JOINED_MAX_BYTES)
    return [Buffer.from(head, "latin1"), Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)];
  const joined = Buffer.allocUnsafe(head.length + bytes.length);
  joined.write(head, 0, "latin1");
  joined.set(bytes, head.length);
  return [joined];
}

function line(name: string, value: string): string {
  if (!VALUE.test(value)) throw new Error(`the header ${name} has characters that no header may have`);
  return `${name}: ${value}\r\n`;
}
