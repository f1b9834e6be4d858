import { expect, test } from "@jest/globals";
import { type AnswerHead, AnswerReader, MalformedAnswer } from "./http1-answer";

interface Read {
  readonly heads: AnswerHead[];
  body: string;
  ended: number;
}

/** Reads bytes that arrive in pieces of `size` and then end. */
function read(text: string, { size = text.length, method = "POST" } = {}): Read & { readonly whenClosed: boolean } {
  const all: Read = { heads: [], body: "", ended: 0 };
  const reader = new AnswerReader({
    head: (head) => all.heads.push(head),
    piece: (data, start, end) => {
      all.body += data.toString("latin1", start, end);
    },
    end: () => {
      all.ended += 1;
    },
  });
  reader.expect(method);
  const bytes = Buffer.from(text, "latin1");
  for (let at = 0; at < bytes.length; at += size) reader.take(bytes.subarray(at, at + size));
  return { ...all, whenClosed: reader.finish() };
}

const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

test.each<[string, string, { status?: number; body?: string; persists?: boolean }]>([
  ["has the length that it says", `${OK}Content-Length: 4\r\n\r\nbody`, {}],
  ["has a length of nothing", `${OK}Content-Length: 0\r\n\r\n`, { body: "" }],
  ["comes in chunks", `${CHUNKED}3\r\nbod\r\n1\r\ny\r\n0\r\n\r\n`, {}],
  ["comes in chunks that say more of themselves", `${CHUNKED}004 ;a="b"\r\nbody\r\n0;last\r\n\r\n`, {}],
  ["has trailers", `${CHUNKED}4\r\nbody\r\n0\r\nChecksum: 1\r\nMore: 2\r\n\r\n`, {}],
  ["is the last on its connection", `${OK}Connection: Close\r\nContent-Length: 4\r\n\r\nbody`, { persists: false }],
  ["is of HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nbody", { persists: false }],
  [
    "is of HTTP/1.0 and keeps its connection",
    "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 4\r\n\r\nbody",
    {},
  ],
  ["can have no body", "HTTP/1.1 204 No Content\r\n\r\n", { status: 204, body: "" }],
  ["has no reason", "HTTP/1.1 500\r\nContent-Length: 4\r\n\r\nbody", { status: 500 }],
  [
    "is announced",
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: a\r\n\r\n${OK}Content-Length: 4\r\n\r\nbody`,
    {},
  ],
])(
  "an answer that %s is read, however it is cut up",
  (_what, text, { status = 200, body = "body", persists = true }) => {
    for (let size = 1; size <= text.length; size += 1) {
      const { heads, ...rest } = read(text, { size });
      expect(heads).toMatchObject([{ status, persists }]);
      expect(rest).toEqual({ body, ended: 1, whenClosed: false });
    }
  },
);

test("an answer that does not say how long it is lasts until the other side has said all", () => {
  expect(read(`${OK}\r\nbody`)).toMatchObject({ heads: [{ persists: false }], body: "body", whenClosed: true });
});

test("an answer that is not complete is none", () => {
  for (const text of ["", "HTTP/1.1 200", `${OK}Content-Length: 5\r\n\r\nbody`, `${CHUNKED}4\r\nbody\r\n`])
    expect(read(text)).toMatchObject({ ended: 0, whenClosed: false });
});

test("an answer to HEAD has no body", () => {
  expect(read(`${OK}Content-Length: 4\r\n\r\n`, { method: "HEAD" })).toMatchObject({ body: "", ended: 1 });
});

test("headers are heard by whatever case, and all that there are of a name", () => {
  const text = `${OK}WARNING: a\r\nx-other: b\r\nwarning:\tc \r\nRetry-After: 3\r\n__proto__: x\r\nContent-Length: 0\r\n\r\n`;
  expect(read(text).heads[0]?.headers).toEqual({ warning: "a, c", "retry-after": "3", "content-length": "0" });
});

test.each<[string, string]>([
  ["of another protocol", "SSH-2.0-what"],
  ["of HTTP/2", "\0\0\u0012\u0004\0\0\0\0\0"],
  ["that begins with no version", "200 OK\r\n\r\n"],
  ["of a later version", "HTTP/1.2 200 OK\r\n\r\n"],
  ["with no status", "HTTP/1.1 OK\r\n\r\n"],
  ["with a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n"],
  ["with a header that has no name", `${OK}: a\r\n\r\n`],
  ["with a header that is no header", `${OK}what\r\n\r\n`],
  ["with a space in a name", `${OK}Content-Length : 4\r\n\r\nbody`],
  ["with a header that goes on", `${OK}a: b\r\n c\r\n\r\n`],
  ["with a lone line feed in a header", `${OK}a: b\nContent-Length: 4\r\n\r\nbody`],
  ["with a lone return in a header", `${OK}a: b\rc\r\n\r\n`],
  ["with a zero byte in a header", `${OK}a: \0\r\n\r\n`],
  ["that upgrades", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: what\r\n\r\n"],
  ["with two lengths", `${OK}Content-Length: 4\r\nContent-Length: 5\r\n\r\nbody`],
  ["with a length below zero", `${OK}Content-Length: -4\r\n\r\nbody`],
  ["with a length that is no number", `${OK}Content-Length: 0x4\r\n\r\nbody`],
  ["with a length beyond every number", `${OK}Content-Length: ${"9".repeat(30)}\r\n\r\nbody`],
  ["with a length, and in chunks", `${OK}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ["in another coding", `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
  ["of HTTP/1.0 in chunks", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
  ["with a chunk of no length", `${CHUNKED}\r\nbody`],
  ["with a chunk of a length below zero", `${CHUNKED}-1\r\nbody`],
  ["with a chunk of a length beyond every answer", `${CHUNKED}fffffffff\r\nbody`],
  ["with a chunk that is longer than its length", `${CHUNKED}3\r\nbody\r\n0\r\n\r\n`],
  ["with a chunk that ends otherwise than lines do", `${CHUNKED}4\nbody`],
  ["with a chunk line that goes on after its end", `${CHUNKED}4\rx\nbody`],
  ["with an endless length of a chunk", `${CHUNKED}${"0".repeat(2000)}`],
  ["with an endless line before a chunk", `${CHUNKED}4;${"x".repeat(2000)}`],
  ["and another that nobody asked for", `${OK}Content-Length: 0\r\n\r\n${OK}Content-Length: 0\r\n\r\n`],
])("an answer %s is refused, however it is cut up", (_what, text) => {
  for (const size of [1, 7, text.length]) expect(() => read(text, { size })).toThrow(MalformedAnswer);
});

test.each<[string, string]>([
  ["head", `${OK}${"x-more: y\r\n".repeat(2000)}`],
  ["header", `${OK}x-more: ${"y".repeat(20_000)}`],
  ["row of announcements", "HTTP/1.1 100 Continue\r\n\r\n".repeat(1000)],
  ["list of trailers", `${CHUNKED}0\r\n${"x-more: y\r\n".repeat(2000)}`],
])("a %s without end is read no further than its bound", (_what, text) => {
  for (const size of [1, 1000, text.length])
    expect(() => read(text, { size })).toThrow(expect.objectContaining({ code: "HPE_HEADER_OVERFLOW" }));
});

test("answers that follow each other are each read as their own head says, and by what was asked", () => {
  const heard: string[] = [];
  const reader = new AnswerReader({
    head: ({ status, persists }) => heard.push(`${status} ${persists}`),
    piece: (data, start, end) => heard.push(data.toString("latin1", start, end)),
    end: () => heard.push("end"),
  });
  const four = `${OK}Content-Length: 4\r\n\r\n`;
  for (const [method, answer] of [
    ["POST", `${four}body`],
    ["POST", `${four}bodi`],
    ["HEAD", four],
    ["POST", `${OK}Content-Length: 2\r\nConnection: close\r\n\r\nbo`],
    ["POST", `${four}bodj`],
  ] as const) {
    reader.expect(method);
    reader.take(Buffer.from(answer));
  }
  const read = ["200 true", "body", "end", "200 true", "bodi", "end", "200 true", "end"];
  expect(heard).toEqual([...read, "200 false", "bo", "end", "200 true", "bodj", "end"]);
});
