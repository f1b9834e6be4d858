// Each provider alone: its output, and what it refuses to decrypt.
import { createDecipheriv } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { aesCbcProvider, aesGcmProvider, type NamedKey } from "./aes";
import { EncryptionError, type EncryptionProvider } from "./provider";
import { secretboxProvider } from "./secretbox";

const KEY = "/registry/core/secrets/default/a";
const PLAIN = Buffer.from('{"kind":"Secret"}');
const named = (bytes: number, fill: number, name = "k"): NamedKey => ({ name, secret: Buffer.alloc(bytes, fill) });

type Make = (key: NamedKey) => EncryptionProvider;
const cases: readonly [string, Make, readonly number[]][] = [
  ["aescbc", aesCbcProvider, [16, 24, 32]],
  ["aesgcm", aesGcmProvider, [16, 24, 32]],
  ["secretbox", secretboxProvider, [32]],
];

const sealed = (provider: EncryptionProvider, plain = PLAIN, key = KEY) => provider.encrypt(plain, key) as Buffer;
const opened = (provider: EncryptionProvider, payload: Buffer, key = KEY) =>
  (provider.decrypt(payload, key) as { plain: Buffer }).plain;
const flipped = (payload: Buffer, at: number) => {
  const other = Buffer.from(payload);
  other.writeUInt8(other.readUInt8(at) ^ 1, at);
  return other;
};

describe.each(cases)("%s", (kind, make, lengths) => {
  test.each(lengths)("reads what it has made with a key of %i bytes, each time otherwise", (bytes) => {
    const provider = make(named(bytes, 1));
    const one = sealed(provider);
    expect(provider.prefix).toBe(`${kind}:v1:k:`);
    expect(opened(provider, one)).toEqual(PLAIN);
    expect(sealed(provider).equals(one)).toBe(false);
    expect(one.includes(PLAIN)).toBe(false);
  });

  test.each([0, 1, 15, 16, 17, 4096, 3 * 1024 * 1024])(
    "takes values of %i bytes, and leaves them as they were",
    (bytes) => {
      const provider = make(named(32, 1));
      const plain = Buffer.alloc(bytes, 7);
      expect(opened(provider, sealed(provider, plain)).equals(Buffer.alloc(bytes, 7))).toBe(true);
      expect(plain.equals(Buffer.alloc(bytes, 7))).toBe(true);
    },
  );

  test("keeps what it has read out of memory that others share", () => {
    const provider = make(named(32, 1));
    expect(opened(provider, sealed(provider)).buffer.byteLength).toBeLessThan(256);
  });

  test("refuses what is too short to be anything", () => {
    const provider = make(named(32, 1));
    for (const bytes of [0, 1, 11, 12, 16, 27]) {
      expect(() => opened(provider, Buffer.alloc(bytes))).toThrow(EncryptionError);
    }
  });
});

describe.each(cases.filter(([kind]) => kind !== "aescbc"))("%s, which authenticates", (_kind, make) => {
  test("refuses another key, and each byte that was changed", () => {
    const provider = make(named(32, 1));
    const payload = sealed(provider);
    expect(() => opened(make(named(32, 2)), payload)).toThrow(EncryptionError);
    for (let at = 0; at < payload.length; at += 1) {
      expect(() => opened(provider, flipped(payload, at))).toThrow("the value cannot be decrypted with this key");
    }
    expect(() => opened(provider, payload.subarray(0, -1))).toThrow(EncryptionError);
  });
});

test("aesgcm alone refuses a value that was moved to another key of the store", () => {
  const elsewhere = "/registry/core/secrets/default/b";
  const [cbc, gcm, box] = cases.map(([, make]) => make(named(32, 1))) as [
    EncryptionProvider,
    EncryptionProvider,
    EncryptionProvider,
  ];
  expect(() => opened(gcm, sealed(gcm), elsewhere)).toThrow("or was encrypted for another storage key");
  expect(opened(cbc, sealed(cbc), elsewhere)).toEqual(PLAIN);
  expect(opened(box, sealed(box), elsewhere)).toEqual(PLAIN);
});

test("aescbc refuses what has no padding under the key, and damaged blocks", () => {
  const provider = aesCbcProvider(named(32, 1));
  const payload = sealed(provider);
  expect(() => opened(provider, payload.subarray(0, -1))).toThrow("the value cannot be decrypted with this key");
  const others = Array.from({ length: 64 }, (_, at) => aesCbcProvider(named(32, 2 + at)));
  const read = others.filter((other) => {
    try {
      return opened(other, payload).equals(PLAIN);
    } catch {
      return false;
    }
  });
  expect(read).toEqual([]);
});

test("the payloads have the format of Kubernetes, with nonce and tag in the same places", () => {
  const { secret } = named(32, 1);
  const cbc = sealed(aesCbcProvider(named(32, 1)));
  const cbcReader = createDecipheriv("aes-256-cbc", secret, cbc.subarray(0, 16));
  expect(Buffer.concat([cbcReader.update(cbc.subarray(16)), cbcReader.final()])).toEqual(PLAIN);
  const gcm = sealed(aesGcmProvider(named(32, 1)));
  const gcmReader = createDecipheriv("aes-256-gcm", secret, gcm.subarray(0, 12));
  gcmReader.setAAD(Buffer.from(KEY)).setAuthTag(gcm.subarray(-16));
  expect(Buffer.concat([gcmReader.update(gcm.subarray(12, -16)), gcmReader.final()])).toEqual(PLAIN);
  // The nonce, the tag, and as many bytes as the value. The vector is NaCl's own for `crypto_secretbox`.
  expect(sealed(secretboxProvider(named(32, 1))).length).toBe(24 + 16 + PLAIN.length);
  const firstKey = "1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389";
  const nonce = "69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37";
  const box =
    "f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5";
  const message =
    "be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705";
  const provider = secretboxProvider({ name: "k", secret: Buffer.from(firstKey, "hex") });
  expect(opened(provider, Buffer.from(nonce + box, "hex")).toString("hex")).toBe(message);
});
