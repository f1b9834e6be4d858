// Writes HTTP/1.1 requests. Values with line breaks are rejected, because they may come from users.
import type { TransportRequest } from "./transport";

/** Excludes control characters, which could end a line. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const PATH = /^[\x21-\x7e\x80-\xff]+$/;
/** Methods that send Content-Length even without a body. */
const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
/** Larger bodies are not copied into one buffer with their head. */
const JOINED_MAX_BYTES = 64 * 1024;

type Asked = Pick<TransportRequest, "method" | "path" | "headers">;

/** Writes requests to one server. */
export class RequestWriter {
  /** The last head and its text: requests with the same headers object mostly repeat the same request. */
  private last: (Asked & { readonly text: string }) | undefined;

  constructor(private readonly authority: string) {}

  /** Returns one or two pieces. @throws Error for an invalid path or header */
  pieces(request: TransportRequest): readonly Buffer[] {
    return piecesOf(this.head(request), request);
  }

  private head({ method, path, headers }: Asked): string {
    const { last } = this;
    if (last?.headers === headers && last.path === path && last.method === method) return last.text;
    const text = headText({ method, path, headers }, this.authority);
    this.last = { method, path, headers, text };
    return text;
  }
}

/** Returns the head without the headers of the body. */
function headText({ method, path, headers }: Asked, authority: string): string {
  if (!PATH.test(path)) throw new Error("the request path contains characters that are not allowed");
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${authority}\r\nconnection: keep-alive\r\n`;
  for (const name in headers) {
    const value = headers[name] as string | string[];
    if (typeof value === "string") text += line(name, value);
    else for (const each of value) text += line(name, each);
  }
  return text;
}

function piecesOf(lines: string, { method, body }: TransportRequest): readonly Buffer[] {
  const bytes = body === undefined ? undefined : typeof body === "string" ? Buffer.from(body) : body;
  const length = bytes?.length ?? (WITH_BODY.has(method) ? 0 : undefined);
  const head = lines + (length === undefined ? "\r\n" : `content-length: ${length}\r\n\r\n`);
  if (bytes === undefined) return [Buffer.from(head, "latin1")];
  if (bytes.length > JOINED_MAX_BYTES)
    return [Buffer.from(head, "latin1"), Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)];
  const joined = Buffer.allocUnsafe(head.length + bytes.length);
  joined.write(head, 0, "latin1");
  joined.set(bytes, head.length);
  return [joined];
}

function line(name: string, value: string): string {
  if (!VALUE.test(value)) throw new Error(`the header ${name} contains characters that are not allowed`);
  return `${name}: ${value}\r\n`;
}
