import { describe, expect, test } from "@jest/globals";
import { REQUEST_MAX_BYTES } from "./request-limits";
import { compressingCodec, PLAIN_MAX_BYTES, ValueCodecError } from "./value-codec";

/** Returns JSON of about this size, as varied as a list of real containers. */
function json(bytes: number): Buffer {
  const items: string[] = [];
  for (let length = 0; length < bytes; length += (items.at(-1)?.length ?? 0) + 1) {
    const n = items.length;
    items.push(
      JSON.stringify({ name: `app-${n}`, image: `registry.example/app:${(n * 2654435761) % 99991}`, port: n }),
    );
  }
  return Buffer.from(`[${items.join()}]`);
}

describe("values on their way to the store", () => {
  test("a small one is stored as it is, the same buffer", () => {
    const value = json(1300);
    expect(compressingCodec.encode(value)).toBe(value);
    expect(compressingCodec.decode(value)).toBe(value);
  });

  test.each([[PLAIN_MAX_BYTES + 1000], [3 * 1024 * 1024]])(
    "one of %i bytes comes back as it was, from a request that etcd takes",
    (bytes) => {
      const value = json(bytes);
      const stored = compressingCodec.encode(value);
      expect(stored.length).toBeLessThan(Math.min(value.length, REQUEST_MAX_BYTES));
      expect(stored[0]).toBe(0x01);
      expect(compressingCodec.decode(stored).equals(value)).toBe(true);
    },
  );

  test.each([[0x00], [0x02], [0x08], [0x80], [0xff]])("the unknown marker %i is an error, not JSON", (marker) => {
    expect(() => compressingCodec.decode(Buffer.from([marker, 0x7b, 0x7d]))).toThrow(ValueCodecError);
  });

  test("a damaged value is an error", () => {
    const stored = compressingCodec.encode(json(PLAIN_MAX_BYTES * 2));
    expect(() => compressingCodec.decode(stored.subarray(0, 100))).toThrow(ValueCodecError);
  });
});
