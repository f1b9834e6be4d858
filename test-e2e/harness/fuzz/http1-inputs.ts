// Hostile HTTP/1.1 input: by the grammar of RFC 9112 with unusual tokens, and randomly damaged.
import type { Random } from "../random";
import { ODD_TARGETS, oddText, PATHS, pathOf, requestBody, TOKEN } from "./request-parts";

// biome-ignore format: one line says as much
const METHODS = [
  "GET", "GET", "GET", "GET", "POST", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "M-SEARCH", "QUERY",
  "BREW", "get", "", "G ET", "PRI", "SOURCE", "UNLINK",
] as const;
const VERSIONS = [
  "HTTP/1.0",
  "HTTP/2.0",
  "HTTP/0.9",
  "HTTP/1.2",
  "HTTP/3",
  "HTTP/1.1 ",
  "http/1.1",
  "HTTP/",
  "",
  "RTSP/1.0",
] as const;
const LINE_ENDS = ["\n", "\r", "\r\r\n", "\n\r", ""] as const;

/** A sequence of requests, valid or damaged. */
export function http1Input(random: Random): Buffer {
  const count = random.chance(0.8) ? 1 : 1 + random.below(6);
  let bytes: Buffer = Buffer.concat(Array.from({ length: count }, () => request(random)));
  if (random.chance(0.12)) bytes = broken(random, bytes);
  return bytes;
}

function request(random: Random): Buffer {
  const odd = random.chance(0.25);
  const method = odd ? random.pick(METHODS) : "GET";
  const target = odd && random.chance(0.4) ? oddTarget(random) : pathOf(random);
  const version = odd && random.chance(0.15) ? random.pick(VERSIONS) : "HTTP/1.1";
  const end = odd && random.chance(0.05) ? random.pick(LINE_ENDS) : "\r\n";
  const hasBody = random.chance(method === "POST" || method === "PUT" || method === "PATCH" ? 0.9 : 0.1);
  const { framing, body } = hasBody ? framed(random, requestBody(random)) : { framing: [], body: NOTHING };
  const lines = [`${method} ${target} ${version}`, ...hosts(random, odd), ...headers(random, odd), ...framing];
  return Buffer.concat([Buffer.from(`${lines.join(end)}${end}${end}`, "latin1"), body]);
}

const NOTHING = Buffer.alloc(0);

function oddTarget(random: Random): string {
  switch (random.below(4)) {
    case 0:
      return random.pick(ODD_TARGETS);
    case 1:
      return `${random.pick(["http://", "https://", "HTTP://", "ftp://", "ws://", ""])}${random.pick(["h", "[::1]", "[", "a:b@c", "h:", ":1", "é", "*"])}${random.pick(["", "/", "?", "/a", "#"])}`;
    case 2:
      return `${random.pick(PATHS)}${oddText(random)}`;
    default:
      return oddText(random).replaceAll(/[\s]/g, "");
  }
}

function hosts(random: Random, odd: boolean): string[] {
  if (!odd || random.chance(0.85)) return ["Host: x"];
  return random.pick([[], ["Host: x", "Host: y"], ["Host:"], [`Host: ${oddText(random)}`], ["host : x"]]);
}

// biome-ignore format: one line says as much
const ODD_HEADERS: readonly (readonly [string, readonly string[]])[] = [
  ["Connection", ["close", "keep-alive", "Upgrade", "upgrade, keep-alive", "close, upgrade", "x", ""]],
  ["Upgrade", ["websocket", "h2c", "SPDY/3.1", "TLS/1.0", "HTTP/2.0", ""]],
  ["Sec-WebSocket-Key", ["AAAAAAAAAAAAAAAAAAAAAA==", "short", ""]],
  ["Sec-WebSocket-Version", ["13", "8", ""]],
  ["Sec-WebSocket-Protocol", ["v4.channel.k8s.io", "base64.binary.orch.io", "a, b, c", ","]],
  ["HTTP2-Settings", ["AAMAAABkAAQAAP__", ""]],
  ["Expect", ["100-continue", "100-Continue", "200-ok", "100-continue, x"]],
  ["Accept", ["application/json", "application/yaml", "application/vnd.orch.protobuf", "*/*;q=0", "application/json;as=Table;g=meta.orch.io;v=v1", ";;", "text/html"]],
  ["Accept-Encoding", ["gzip", "gzip;q=0", "*", "br, gzip;q=x"]],
  ["Content-Type", ["application/json", "application/yaml", "application/merge-patch+json", "application/apply-patch+yaml", "text/plain", ""]],
  ["Content-Encoding", ["gzip", "identity", "x"]],
  ["Transfer-Encoding", ["chunked", "identity", "gzip, chunked", "chunked, chunked", "xchunked", "chunked;a=b", " chunked"]],
  ["Content-Length", ["0", "1", "5", "-1", "+5", "0x10", "99999999999999999999", "5, 5", "5;", "3145729"]],
  ["Trailer", ["X-A", "Content-Length"]],
  ["TE", ["trailers", "gzip"]],
  ["Authorization", ["Bearer wrong", "Basic YTpi", "Bearer", "Negotiate x", `Bearer ${TOKEN}x`]],
  ["Impersonate-User", ["somebody"]],
  ["Origin", ["https://x", "null", "https://elsewhere"]],
  ["Audit-Id", ["a", "\x80\xff", "x".repeat(200)]],
  ["X-Forwarded-For", ["1.1.1.1", "a, b"]],
  ["If-None-Match", ["*", '"x"', "W/"]],
  ["Range", ["bytes=0-1"]],
  ["Cookie", ["a=b; c=d"]],
  ["User-Agent", ["curl/8", "Mozilla/5.0", "kubectl/v1.30", ""]],
];

function headers(random: Random, odd: boolean): string[] {
  const lines = random.chance(0.7) ? [`Authorization: Bearer ${TOKEN}`] : [];
  const count = odd ? random.below(5) : random.below(2);
  for (let at = 0; at < count; at += 1) lines.push(header(random, odd));
  return lines;
}

function header(random: Random, odd: boolean): string {
  const [name, values] = random.pick(ODD_HEADERS);
  const line = `${name}: ${random.pick(values)}`;
  if (!odd || random.chance(0.9)) return line;
  switch (random.below(7)) {
    case 0:
      return `${name}:${oddText(random)}`;
    case 1:
      return `${oddText(random)}: a`;
    case 2:
      return `${line}\r\n folded`;
    case 3:
      return name;
    case 4:
      return `X-Large: ${"x".repeat(1 << random.below(18))}`;
    case 5:
      return Array.from({ length: 1 << random.below(12) }, (_, at) => `X-${at}: a`).join("\r\n");
    default:
      return `${name} : \0`;
  }
}

/** Framing of the body, correct or wrong. */
function framed(random: Random, body: Buffer): { readonly framing: readonly string[]; readonly body: Buffer } {
  const type = "Content-Type: application/json";
  if (random.chance(0.6)) return { framing: [type, `Content-Length: ${body.length}`], body };
  if (random.chance(0.7)) return { framing: [type, "Transfer-Encoding: chunked"], body: chunked(random, body) };
  const wrong = body.length + random.below(9) - 4;
  return { framing: [type, `Content-Length: ${wrong}`], body };
}

function chunked(random: Random, body: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  while (at < body.length) {
    const piece = body.subarray(at, at + 1 + random.below(body.length));
    const size = random.chance(0.97)
      ? piece.length.toString(16)
      : random.pick(["-1", "zz", "0x5", "fffffffffffffffff", "", "00000005"]);
    const extension = random.chance(0.95) ? "" : random.pick([";a=b", ";", `;${"x".repeat(20_000)}`, ';a="']);
    pieces.push(Buffer.from(`${size}${extension}\r\n`), piece, Buffer.from(random.chance(0.97) ? "\r\n" : "x"));
    at += piece.length;
  }
  pieces.push(
    Buffer.from(
      random.chance(0.95)
        ? "0\r\n\r\n"
        : random.pick(["0\r\nX-A: b\r\n\r\n", "0\r\n", "0\r\nContent-Length: 5\r\n\r\n", ""]),
    ),
  );
  return Buffer.concat(pieces);
}

/** Applies one to four changes anywhere. */
export function broken(random: Random, bytes: Buffer): Buffer {
  let result: Buffer = bytes;
  for (let count = 1 + random.below(4); count > 0; count -= 1) {
    const at = random.below(result.length + 1);
    const end = Math.min(result.length, at + 1 + random.below(16));
    const [before, middle, after] = [result.subarray(0, at), result.subarray(at, end), result.subarray(end)];
    switch (random.below(6)) {
      case 0:
        result = before;
        break;
      case 1:
        result = Buffer.concat([before, after]);
        break;
      case 2:
        result = Buffer.concat([before, middle, middle, after]);
        break;
      case 3:
        result = Buffer.concat([before, random.bytes(1 + random.below(8)), middle, after]);
        break;
      case 4:
        result = Buffer.concat([
          before,
          Buffer.from(random.pick(["\r\n", "\r\n\r\n", "\0", "\n", ": ", " ", "%", "\t"])),
          middle,
          after,
        ]);
        break;
      default: {
        const turned = Buffer.from(result);
        if (at < turned.length) turned[at] = (turned[at] ?? 0) ^ (1 << random.below(8));
        result = turned;
      }
    }
  }
  return result;
}
