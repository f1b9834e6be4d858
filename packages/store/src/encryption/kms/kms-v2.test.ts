// Features of KMS v2 only: one seed for all writes, which follows the key of the service.

import { expect, test } from "@jest/globals";
import type { KmsBehaviour, KmsPlugin, ManualClock } from "@orch/testing";
import { EncryptedObject } from "../../generated/kms-v2";
import { sealGcm } from "../aes";
import type { EncryptionProvider } from "../provider";
import { readObject, type StoredObject } from "./encrypted-object";
import { UNOBSERVED } from "./kms-observer";
import { kmsProvider } from "./kms-provider";
import { sealBySeed } from "./seeded-cipher";
import { useKeyService } from "./testing/use-key-service";

const PLACE = "/registry/secrets/default/one";
const PLAIN = Buffer.from('{"kind":"Secret"}');
const { Writer } = require("protobufjs/minimal") as typeof import("protobufjs/minimal");

let plugin: KmsPlugin;
let clock: ManualClock;
const keep = useKeyService((begun) => {
  ({ plugin, clock } = begun);
});

function made(deps: Parameters<typeof kmsProvider>[1] = {}): EncryptionProvider {
  const terms = { apiVersion: "v2", name: "two", endpoint: plugin.endpoint, timeoutMs: 10_000, cacheSize: 10 } as const;
  return keep(kmsProvider(terms, { clock, ...deps }));
}

const encrypted = async (provider: EncryptionProvider): Promise<Buffer> => provider.encrypt(PLAIN, PLACE);
const decrypted = async (provider: EncryptionProvider, payload: Buffer, place = PLACE) =>
  provider.decrypt(payload, place);

test("one question serves all that is written, and each value has a key of its own", async () => {
  const provider = made();
  const payloads = await Promise.all(Array.from({ length: 10 }, () => encrypted(provider)));
  expect(plugin.calls).toMatchObject({ "v2/Status": 1, "v2/Encrypt": 1, "v2/Decrypt": 1 });
  const objects = payloads.map((payload) => readObject(payload) as StoredObject);
  expect(new Set(objects.map(({ key }) => key.source.toString("hex"))).size).toBe(1);
  expect(new Set(objects.map(({ sealed }) => sealed.toString("hex", 0, 32))).size).toBe(10);
  expect(objects[0]).toMatchObject({ kind: "seed", key: { keyId: "key-1" } });
});

test("the keys that the service names and that values use are told", async () => {
  const told: string[] = [];
  const observer = {
    ...UNOBSERVED,
    keyNamed: (name: string, id: string) => void told.push(`${name} named ${id}`),
    keyUsed: (name: string, id: string, way: string) => void told.push(`${name} used ${id} ${way}`),
  };
  const provider = made({ observer });
  const payload = await encrypted(provider);
  await decrypted(provider, payload);
  expect(told).toEqual(["two named key-1", "two used key-1 to_storage", "two used key-1 from_storage"]);
});

test("a value that has been moved to another place is not read", async () => {
  const provider = made();
  const payload = await encrypted(provider);
  await expect(decrypted(provider, payload, `${PLACE}-other`)).rejects.toMatchObject({
    isTransient: false,
    message: "the value cannot be decrypted with this key, or was encrypted for another storage key",
  });
});

test("a value under a plain data key is read", async () => {
  const key = Buffer.alloc(32, 7);
  plugin.behaviours["v2/Decrypt"] = ({ annotations }, honest) =>
    Object.keys(annotations as object).length > 0 ? { plaintext: key } : honest();
  const annotations = { "where.example.com": Buffer.from("here"), "empty.example.com": Buffer.alloc(0) };
  const object = { encryptedData: sealGcm(key, PLAIN, PLACE), keyId: "key-1", encryptedKeySource: PLAIN, annotations };
  const payload = (EncryptedObject.encode(object, Writer.create()) as InstanceType<typeof Writer>).finish() as Buffer;
  expect(await decrypted(made(), payload)).toMatchObject({ plain: PLAIN });
});

test("the key of a value is that of HKDF: a vector of its own definition", () => {
  const { hkdfSync, createHmac } = require("node:crypto") as typeof import("node:crypto");
  const salt = Buffer.alloc(32, 1);
  const input = Buffer.from("input");
  const seed = createHmac("sha256", salt).update(input).digest(); // the result of HKDF-Extract
  const sealed = sealBySeed(seed, PLAIN, PLACE);
  const key = Buffer.from(hkdfSync("sha256", input, salt, sealed.subarray(0, 32), 32));
  const { openGcm } = require("../aes") as typeof import("../aes");
  expect(openGcm(key, sealed.subarray(32), PLACE)).toEqual(PLAIN);
});

test("the annotations of the service are passed back to it", async () => {
  plugin.annotations = { "region.example.com": Buffer.from("north") };
  const payload = await encrypted(made());
  const asked: object[] = [];
  plugin.behaviours["v2/Decrypt"] = (request, honest) => {
    asked.push(request);
    return honest();
  };
  await decrypted(made(), payload);
  const { annotations } = plugin;
  expect(asked.at(-1)).toMatchObject({ keyId: "key-1", annotations, uid: expect.stringMatching(/^[0-9a-f-]{36}$/) });
});

test("with another key id of the service former values are stale, and written anew by a new seed", async () => {
  const provider = made();
  const former = await encrypted(provider);
  plugin.keyId = "key-2";
  expect(await decrypted(provider, former)).toMatchObject({ isStale: false });
  clock.advance(60_000);
  await provider.check?.();
  expect(await decrypted(provider, former)).toMatchObject({ plain: PLAIN, isStale: true });
  const renewed = await encrypted(provider);
  expect(await decrypted(provider, renewed)).toMatchObject({ plain: PLAIN, isStale: false });
  expect(readObject(renewed)).toMatchObject({ key: { keyId: "key-2" } });
});

test("it is asked every minute how it is, every ten seconds while it is not well", async () => {
  const provider = made();
  await provider.check?.();
  const polled = async (afterMs: number): Promise<void> => {
    const asked = plugin.asked("v2/Status");
    clock.advance(afterMs - 1);
    const before = plugin.calls["v2/Status"];
    clock.advance(1);
    await asked;
    expect(plugin.calls["v2/Status"] - before).toBe(1);
    await provider.check?.().catch(() => undefined);
    await new Promise(setImmediate); // the next poll is scheduled when this one is done
  };
  await polled(60_000);
  plugin.healthz = "the vault is sealed";
  await polled(60_000);
  await expect(provider.check?.()).rejects.toThrow('"two": it reports the health "the vault is sealed"');
  await polled(10_000);
  plugin.healthz = "ok";
  await polled(10_000);
  await provider.check?.();
  await polled(60_000);
});

test("three minutes after the last good status nothing is written, and what is kept is still read", async () => {
  const provider = made();
  const payload = await encrypted(provider);
  plugin.healthz = "the vault is sealed";
  clock.advance(60_000);
  await expect(provider.check?.()).rejects.toThrow("sealed");
  clock.advance(119_999);
  await encrypted(provider);
  clock.advance(1);
  await expect(encrypted(provider)).rejects.toMatchObject({
    isTransient: true,
    message: expect.stringMatching(
      /not used for writes because it has been unhealthy for 180 s: .*the vault is sealed/,
    ),
  });
  expect(await decrypted(provider, payload)).toMatchObject({ plain: PLAIN });

  plugin.healthz = "ok";
  clock.advance(3_000);
  await encrypted(provider);
  expect(plugin.calls["v2/Encrypt"]).toBe(1);
});

test("while its new key does not encrypt, the former one is used as long as it may be", async () => {
  const provider = made();
  await encrypted(provider);
  plugin.keyId = "key-2";
  plugin.behaviours["v2/Encrypt"] = () => ({ code: 14, details: "not yet" });
  clock.advance(60_000);
  await expect(provider.check?.()).rejects.toThrow("not yet");
  expect(readObject(await encrypted(provider))).toMatchObject({ key: { keyId: "key-1" } });
  clock.advance(120_000);
  await expect(encrypted(provider)).rejects.toThrow("not yet");
});

const LONG = "x".repeat(1025);

test.each<[string, "v2/Status" | "v2/Encrypt" | "v2/Decrypt", KmsBehaviour, RegExp]>([
  [
    "another version",
    "v2/Status",
    (_, honest) => ({ ...honest(), version: "v3" }),
    /it implements version "v3", not v2/,
  ],
  ["no key id", "v2/Status", (_, honest) => ({ ...honest(), keyId: "" }), /the key id is empty/],
  ["a long key id", "v2/Status", (_, honest) => ({ ...honest(), keyId: LONG }), /more than 1024 bytes/],
  ["no state", "v2/Status", () => ({ version: "v2", keyId: "key-1" }), /it reports the health ""/],
  ["a key without id", "v2/Encrypt", (_, honest) => ({ ...honest(), keyId: "" }), /the key id is empty/],
  ["a key under a long id", "v2/Encrypt", (_, honest) => ({ ...honest(), keyId: LONG }), /more than 1024 bytes/],
  [
    "no key",
    "v2/Encrypt",
    (_, honest) => ({ ...honest(), ciphertext: Buffer.alloc(0) }),
    /has 0 bytes; it must have 1 to 1024/,
  ],
  [
    "a long key",
    "v2/Encrypt",
    (_, honest) => ({ ...honest(), ciphertext: Buffer.alloc(1025) }),
    /has 1025 bytes; it must have 1 to 1024/,
  ],
  ["a short name", "v2/Encrypt", annotated("local", 1), /not a fully qualified domain name/],
  ["a name in capitals", "v2/Encrypt", annotated("Region.example.com", 1), /not a fully qualified domain name/],
  ["a name of a prototype", "v2/Encrypt", annotated("__proto__", 1), /not a fully qualified domain name/],
  [
    "long annotations",
    "v2/Encrypt",
    annotated("region.example.com", 32 * 1024),
    /have 32786 bytes; at most 32768 are allowed/,
  ],
  [
    "another seed than it was given",
    "v2/Decrypt",
    () => ({ plaintext: Buffer.alloc(32) }),
    /cannot decrypt a value that it encrypted/,
  ],
])("nothing is written by a service that answers with %s", async (_what, method, behaviour, expected) => {
  plugin.behaviours[method] = behaviour;
  const told: string[] = [];
  const provider = made({ observer: { ...UNOBSERVED, invalidKeyId: (name, why) => told.push(`${name} ${why}`) } });
  await expect(encrypted(provider)).rejects.toThrow(expected);
  await expect(provider.check?.()).rejects.toThrow(expected);
  expect(told.length).toBe(method === "v2/Status" && /key id|1024/.test(expected.source) ? 1 : 0);
  delete plugin.behaviours[method];
  clock.advance(3_000);
  await encrypted(provider);
});

function annotated(name: string, bytes: number): KmsBehaviour {
  return (_, honest) => {
    const annotations = Object.defineProperty({}, name, { value: Buffer.alloc(bytes), enumerable: true });
    return { ...honest(), annotations };
  };
}
