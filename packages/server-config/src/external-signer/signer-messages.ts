// Messages of the external signer in protobuf. Source: staging/src/k8s.io/externaljwt/apis/v1/api.proto.

export interface SignedToken {
  /** Base64url. */
  readonly header: string;
  readonly signature: string;
}

export interface FetchedKey {
  readonly id: string;
  /** DER of the SubjectPublicKeyInfo. */
  readonly der: Buffer;
  readonly isExcluded: boolean;
}

export interface FetchedKeys {
  readonly keys: readonly FetchedKey[];
  readonly refreshSeconds: number;
  /** Unix time of the data. */
  readonly dataSeconds: number;
}

/** Encodes `claims` as the first field. */
export function signRequest(claims: string): Buffer {
  const text = Buffer.from(claims);
  return Buffer.concat([Buffer.from([0x0a]), varint(text.length), text]);
}

/** @throws RangeError for a malformed message, as all readers here */
export function readSignedToken(message: Buffer): SignedToken {
  const parts = fieldsOf(message);
  const text = (number: number) => bytesIn(parts, number).toString("utf8");
  return { header: text(1), signature: text(2) };
}

export function readFetchedKeys(message: Buffer): FetchedKeys {
  const parts = fieldsOf(message);
  const keys = parts.flatMap(({ number, value }) => {
    if (number !== 1 || typeof value === "number") return [];
    const key = fieldsOf(value);
    return [{ id: bytesIn(key, 1).toString("utf8"), der: bytesIn(key, 2), isExcluded: numberIn(key, 3) !== 0 }];
  });
  const at = fieldsOf(bytesIn(parts, 2));
  return { keys, refreshSeconds: numberIn(parts, 3), dataSeconds: numberIn(at, 1) + numberIn(at, 2) / 1e9 };
}

/** Returns the maximum lifetime of tokens in seconds. */
export const readMaxSeconds = (message: Buffer): number => numberIn(fieldsOf(message), 1);

interface Field {
  readonly number: number;
  readonly value: Buffer | number;
}

const NOTHING = Buffer.alloc(0);

/** The last value of a field counts. */
function bytesIn(fields: readonly Field[], number: number): Buffer {
  const value = fields.findLast((field) => field.number === number)?.value ?? NOTHING;
  return typeof value === "number" ? NOTHING : value;
}

function numberIn(fields: readonly Field[], number: number): number {
  const value = fields.findLast((field) => field.number === number)?.value ?? 0;
  return typeof value === "number" ? value : 0;
}

function fieldsOf(message: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const number = (): number => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = message[at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
    }
    throw new RangeError("a number extends beyond its message");
  };
  const skip = (length: number): Buffer => {
    if (length < 0 || at + length > message.length) throw new RangeError("a field extends beyond its message");
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const tag = number();
    const wire = tag & 7;
    const value =
      wire === 0 ? number() : wire === 2 ? skip(number()) : wire === 1 ? skip(8) : wire === 5 ? skip(4) : undefined;
    if (value === undefined) throw new RangeError(`wire type ${wire} is not supported`);
    fields.push({ number: tag >>> 3, value });
  }
  return fields;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 0x80);
  return Buffer.from([...bytes, rest]);
}
