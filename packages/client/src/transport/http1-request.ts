// What is sent on an HTTP/1.1 connection. Values that would end their line are refused: they may come from users.
import type { TransportRequest } from "./transport";

/** No control characters, which would end a line. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const PATH = /^[\x21-\x7e\x80-\xff]+$/;
/** Whose bodies are told of even where there is none. */
const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
/** Larger bodies are not copied to stand behind their head. */
const JOINED_MAX_BYTES = 64 * 1024;

type Asked = Pick<TransportRequest, "method" | "path" | "headers">;

/** Writes requests to one server. */
export class RequestWriter {
  /** What was asked last, and the lines of it: whoever asks with the same headers again mostly asks for the same. */
  private last: (Asked & { readonly text: string }) | undefined;

  constructor(private readonly authority: string) {}

  /**
   * @returns one piece, or two
   * @throws Error for a path or a header that cannot be written
   */
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

/** But for what there is to say of a body. */
function headText({ method, path, headers }: Asked, authority: string): string {
  if (!PATH.test(path)) throw new Error("the path of the request has characters that no path may have");
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
  if (!VALUE.test(value)) throw new Error(`the header ${name} has characters that no header may have`);
  return `${name}: ${value}\r\n`;
}
