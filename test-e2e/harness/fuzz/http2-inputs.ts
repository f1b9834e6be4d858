// Hostile HTTP/2 input: valid and invalid frames, in valid and invalid orders.
import {
  type Fields,
  FLAG,
  FRAME,
  frame,
  headerBlock,
  PREFACE,
  ping,
  requestFields,
  reset,
  SETTING,
  settings,
  settingsAck,
  windowUpdate,
} from "../http2-frames";
import type { Random } from "../random";
import { broken } from "./http1-inputs";
import { ODD_TARGETS, oddText, pathOf, requestBody, TOKEN } from "./request-parts";

/** Stream ids of one connection, in the order in which a client may open them. */
export class StreamIds {
  private next = 1;

  take(): number {
    const id = this.next;
    this.next += 2;
    return id;
  }

  /** An id that is open, not open yet, or invalid. */
  any(random: Random): number {
    return random.pick([
      0,
      1,
      2,
      this.next,
      this.next - 2,
      this.next + 2,
      this.next + 1,
      0x7fffffff,
      0xffffffff,
      random.below(this.next + 1),
    ]);
  }
}

/** The beginning of a connection. */
export function http2Opening(random: Random): Buffer {
  if (random.chance(0.9)) return Buffer.concat([PREFACE, settings()]);
  return random.pick([
    () => Buffer.concat([PREFACE, oddSettings(random)]),
    () => broken(random, Buffer.concat([PREFACE, settings()])),
    () => PREFACE,
    () => Buffer.concat([PREFACE, ping()]),
    () => Buffer.concat([PREFACE, PREFACE]),
    () => settings(),
  ])();
}

/** One input, after which the connection may still be usable. */
export function http2Input(random: Random, ids: StreamIds): Buffer {
  const bytes = random.chance(0.55) ? request(random, ids) : oddFrames(random, ids);
  return random.chance(0.1) ? broken(random, bytes) : bytes;
}

function request(random: Random, ids: StreamIds): Buffer {
  const odd = random.chance(0.4);
  const method = odd
    ? random.pick(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "CONNECT", "BREW", "", "G T"])
    : "GET";
  const path = odd && random.chance(0.3) ? random.pick(ODD_TARGETS) : pathOf(random);
  const fields = odd ? oddFields(random, method, path) : [...requestFields(method, path), ...authorization(random)];
  const hasBody = random.chance(method === "GET" ? 0.1 : 0.7);
  const stream = ids.take();
  const block = odd && random.chance(0.08) ? random.bytes(1 + random.below(40)) : headerBlock(fields);
  const head = headFrames(random, { stream, block, ends: !hasBody });
  if (!hasBody) return head;
  const body = requestBody(random);
  const pieces: Buffer[] = [head];
  const cut = random.chance(0.7) ? body.length : random.below(body.length + 1);
  pieces.push(dataFrame(random, stream, body.subarray(0, cut), cut === body.length));
  if (cut < body.length) pieces.push(dataFrame(random, stream, body.subarray(cut), random.chance(0.9)));
  if (odd && random.chance(0.2)) {
    const trailers: Fields = random.chance(0.5) ? [["x-trailer", "a"]] : requestFields("GET", "/");
    pieces.push(
      frame(FRAME.headers, { stream, flags: FLAG.endHeaders | FLAG.endStream, payload: headerBlock(trailers) }),
    );
  }
  if (random.chance(0.1)) pieces.push(reset(stream, random.below(16)));
  return Buffer.concat(pieces);
}

function authorization(random: Random): Fields {
  return random.chance(0.7) ? [["authorization", `Bearer ${TOKEN}`]] : [];
}

// biome-ignore format: one line says as much
const ODD_FIELDS: readonly (readonly [string, string])[] = [
  ["connection", "close"], ["transfer-encoding", "chunked"], ["te", "trailers"], ["te", "gzip"], ["upgrade", "websocket"], ["keep-alive", "1"], ["host", "other"], ["expect", "100-continue"],
  ["expect", "x"], ["content-length", "0"], ["content-length", "5"], ["content-length", "-1"], ["content-length", "99999999999"], ["Upper", "a"], ["", "a"], [":odd", "a"], [":status", "200"],
  [":protocol", "websocket"], ["x y", "a"], ["x", "a\r\nb: c"], ["x", "\0"], ["cookie", "a"], ["content-type", "application/json"], ["content-type", "application/apply-patch+yaml"],
  ["accept", "application/yaml"], ["accept", "application/json;as=Table;g=meta.orch.io;v=v1"], ["accept-encoding", "gzip"], ["impersonate-user", "x"], ["audit-id", "\xff"], ["origin", "null"],
];

function oddFields(random: Random, method: string, path: string): Fields {
  let fields: (readonly [string, string])[] = [...requestFields(method, path), ...authorization(random)];
  for (let count = random.below(4); count > 0; count -= 1)
    fields.splice(random.below(fields.length + 1), 0, random.pick(ODD_FIELDS));
  if (random.chance(0.1)) fields = fields.filter(() => random.chance(0.8));
  if (random.chance(0.1) && fields.length > 0) fields.push(random.pick(fields));
  if (random.chance(0.1)) fields.push(["x-odd", oddText(random)]);
  if (random.chance(0.05)) fields.push([oddText(random), "a"]);
  if (random.chance(0.1))
    fields = fields.map(([name, value]) =>
      name === ":scheme" ? [name, random.pick(["http", "ftp", "", "x"])] : [name, value],
    );
  if (random.chance(0.05)) for (let at = 0; at < 1 << random.below(10); at += 1) fields.push([`x-${at}`, "a"]);
  return fields;
}

/** A header block in one or several frames, with optional surrounding frames. */
function headFrames(
  random: Random,
  of: { readonly stream: number; readonly block: Buffer; readonly ends: boolean },
): Buffer {
  const { stream, block, ends } = of;
  const end = ends ? FLAG.endStream : 0;
  if (block.length > 16_000 || random.chance(0.1)) {
    const pieces: Buffer[] = [];
    const size = Math.max(1, Math.min(16_000, random.below(block.length + 1)));
    for (let at = 0; at < block.length; at += size) {
      const isFirst = at === 0;
      const flags = (isFirst ? end : 0) | (at + size >= block.length ? FLAG.endHeaders : 0);
      pieces.push(
        frame(isFirst ? FRAME.headers : FRAME.continuation, { stream, flags, payload: block.subarray(at, at + size) }),
      );
      if (random.chance(0.02)) pieces.push(ping());
      if (pieces.length > 40) break;
    }
    return Buffer.concat(pieces);
  }
  if (random.chance(0.05)) {
    const padding = random.below(256);
    const payload = Buffer.concat([
      Buffer.from([padding]),
      block,
      Buffer.alloc(random.chance(0.9) ? padding : random.below(256)),
    ]);
    return frame(FRAME.headers, { stream, flags: end | FLAG.endHeaders | FLAG.padded, payload });
  }
  if (random.chance(0.05)) {
    return frame(FRAME.headers, {
      stream,
      flags: end | FLAG.endHeaders | FLAG.priority,
      payload: Buffer.concat([random.bytes(5), block]),
    });
  }
  return frame(FRAME.headers, { stream, flags: end | FLAG.endHeaders, payload: block });
}

function dataFrame(random: Random, stream: number, payload: Buffer, ends: boolean): Buffer {
  const flags = ends ? FLAG.endStream : 0;
  if (random.chance(0.95)) return frame(FRAME.data, { stream, flags, payload });
  const padding = random.below(256);
  return frame(FRAME.data, {
    stream,
    flags: flags | FLAG.padded,
    payload: Buffer.concat([Buffer.from([padding]), payload, Buffer.alloc(random.below(256))]),
  });
}

function oddSettings(random: Random): Buffer {
  const ids = [...Object.values(SETTING), 0, 8, 0xffff];
  const values = [0, 1, 100, 16_384, 65_535, 65_536, 0x7fffffff, 0x80000000, 0xffffffff];
  return settings(Array.from({ length: random.below(5) }, () => [random.pick(ids), random.pick(values)] as const));
}

function oddFrames(random: Random, ids: StreamIds): Buffer {
  const stream = ids.any(random);
  switch (random.below(14)) {
    case 0:
      return oddSettings(random);
    case 1:
      return settingsAck();
    case 2:
      return ping(random.bytes(random.chance(0.8) ? 8 : random.below(16)));
    case 3:
      return frame(FRAME.ping, { flags: FLAG.ack, payload: random.bytes(8) });
    case 4:
      return reset(stream, random.pick([0, 1, 7, 8, 11, 0xffffffff]));
    case 5:
      return windowUpdate(stream, random.pick([0, 1, 65_535, 0x7fffffff, 0x80000000, 0xffffffff]));
    case 6:
      return frame(FRAME.priority, { stream, payload: random.bytes(random.chance(0.8) ? 5 : random.below(9)) });
    case 7:
      return frame(FRAME.goAway, {
        stream: random.chance(0.9) ? 0 : stream,
        payload: random.bytes(8 + random.below(8)),
      });
    case 8:
      return frame(FRAME.pushPromise, { stream, flags: FLAG.endHeaders, payload: random.bytes(4 + random.below(20)) });
    case 9:
      return frame(FRAME.data, { stream, flags: random.below(256), payload: random.bytes(random.below(64)) });
    case 10:
      return frame(FRAME.continuation, { stream, flags: random.below(8), payload: random.bytes(random.below(32)) });
    case 11:
      return frame(10 + random.below(246), {
        stream,
        flags: random.below(256),
        payload: random.bytes(random.below(64)),
      });
    case 12:
      return frame(random.below(10), {
        stream,
        flags: random.below(256),
        payload: random.bytes(random.below(64)),
        length: random.pick([0, 1, 8, 16_384, 16_385, 0xffffff]),
      });
    default:
      return unread(random, ids);
  }
}

/** Several requests with a closed window, which is then opened or abandoned. */
function unread(random: Random, ids: StreamIds): Buffer {
  const streams = Array.from({ length: 1 + random.below(10) }, () => ids.take());
  const asked = streams.map((stream) =>
    frame(FRAME.headers, {
      stream,
      flags: FLAG.endHeaders | FLAG.endStream,
      payload: headerBlock([...requestFields("GET", pathOf(random)), ...authorization(random)]),
    }),
  );
  const after = random.pick([
    () => settings([[SETTING.initialWindowSize, 65_535]]),
    () => Buffer.concat(streams.map((stream) => reset(stream))),
    () => Buffer.concat(streams.map((stream) => windowUpdate(stream, 1 + random.below(100_000)))),
    () => Buffer.alloc(0),
  ])();
  return Buffer.concat([settings([[SETTING.initialWindowSize, random.below(3)]]), ...asked, after]);
}
