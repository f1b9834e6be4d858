// Features of KMS v1 only: a data key for each value, and a cache of the configured size.

import { createCipheriv, randomBytes } from "node:crypto";
import { expect, test } from "@jest/globals";
import type { KmsPlugin, ManualClock } from "@orch/testing";
import { openStore } from "../../open-store";
import { WatchRecorder } from "../../testing/watch-recorder";
import { EncryptingStore } from "../encrypting-store";
import type { EncryptionProvider } from "../provider";
import { ValueProviders } from "../value-providers";
import { UNOBSERVED } from "./kms-observer";
import { kmsProvider } from "./kms-provider";
import { useKeyService } from "./testing/use-key-service";

const PLACE = "/registry/secrets/default/one";
const PLAIN = Buffer.from('{"kind":"Secret"}');

let plugin: KmsPlugin;
let clock: ManualClock;
const keep = useKeyService((begun) => {
  ({ plugin, clock } = begun);
});

function made(cacheSize = 10, deps: Parameters<typeof kmsProvider>[1] = {}): EncryptionProvider {
  const terms = { apiVersion: "v1", name: "one", endpoint: plugin.endpoint, timeoutMs: 10_000, cacheSize } as const;
  return keep(kmsProvider(terms, { clock, ...deps }));
}

test("each write has a data key of its own, behind its length", async () => {
  const provider = made();
  const payloads = await Promise.all([provider.encrypt(PLAIN, PLACE), provider.encrypt(PLAIN, PLACE)]);
  const keys = payloads.map((payload) => payload.subarray(2, 2 + payload.readUInt16BE(0)).toString("hex"));
  expect(new Set(keys).size).toBe(2);
  expect(plugin.calls).toMatchObject({ "v1beta1/Version": 1, "v1beta1/Encrypt": 2, "v1beta1/Decrypt": 0 });
});

test("a value that a newer server has written is read, where it was written", async () => {
  const key = randomBytes(32);
  plugin.behaviours["v1beta1/Decrypt"] = () => ({ plain: key });
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(PLACE));
  const sealed = [nonce, cipher.update(PLAIN), cipher.final(), cipher.getAuthTag()];
  const payload = Buffer.concat([Buffer.from([0, 3]), Buffer.from("key"), ...sealed]);
  expect(await made().decrypt(payload, PLACE)).toEqual({ plain: PLAIN, isStale: false });
  await expect((async () => made().decrypt(payload, `${PLACE}-other`))()).rejects.toMatchObject({ isTransient: false });
});

test("the cache keeps the configured number of data keys", async () => {
  const shares: number[] = [];
  let missed = 0;
  const observer = { ...UNOBSERVED, keysKept: (share: number) => shares.push(share), keyMissed: () => missed++ };
  const provider = made(2, { observer });
  const payloads: Buffer[] = [];
  for (let i = 0; i < 3; i += 1) payloads.push(await provider.encrypt(PLAIN, PLACE));
  expect(shares).toEqual([0.5, 1, 1]);
  for (const payload of payloads.reverse()) await provider.decrypt(payload, PLACE);
  expect(plugin.calls["v1beta1/Decrypt"]).toBe(1);
  expect(missed).toBe(1);

  const forgetful = made(0);
  const payload = await forgetful.encrypt(PLAIN, PLACE);
  for (let i = 0; i < 3; i += 1) await forgetful.decrypt(payload, PLACE);
  expect(plugin.calls["v1beta1/Decrypt"]).toBe(4);
});

test("nothing is asked of a service of another version, until it has become another", async () => {
  plugin.behaviours["v1beta1/Version"] = () => ({ version: "v2alpha1" });
  const provider = made();
  await expect(provider.encrypt(PLAIN, PLACE)).rejects.toThrow('it implements version "v2alpha1", not v1beta1');
  expect(plugin.calls["v1beta1/Encrypt"]).toBe(0);
  delete plugin.behaviours["v1beta1/Version"];
  await provider.encrypt(PLAIN, PLACE);
});

test.each([0, 65_536])("an encrypted data key of %d bytes is refused", async (length) => {
  const failed: string[] = [];
  plugin.behaviours["v1beta1/Encrypt"] = () => ({ cipher: Buffer.alloc(length) });
  const provider = made(10, { observer: { ...UNOBSERVED, keyFailed: () => failed.push("once") } });
  await expect(provider.encrypt(PLAIN, PLACE)).rejects.toThrow(`an encrypted data key of ${length} bytes`);
  expect(failed).toEqual(["once"]);
});

test("a watch of values that are answered for in any order brings them in their own", async () => {
  const inner = await openStore({ kind: "memory" });
  const marker = "orch:enc:";
  const observed = { marker, clock, observe() {} };
  const seenBy = (provider: EncryptionProvider) => {
    const providers = new ValueProviders(observed, [provider]);
    return new EncryptingStore(inner, { marker, clock, providersOf: () => providers });
  };
  let asked = 0;
  plugin.behaviours["v1beta1/Decrypt"] = async (_, honest) => {
    asked += 1;
    for (let turns = (asked * 7) % 11; turns > 0; turns -= 1) await new Promise(setImmediate);
    return honest();
  };
  const reader = seenBy(made(0));
  const seen = await new WatchRecorder(reader, { start: "a", end: "b" }).untilStarted();
  const writer = seenBy(made());
  const written: string[] = [];
  for (let n = 0; n < 40; n += 1) {
    const then = ["x", "y"].map((part) => ({
      kind: "put" as const,
      key: `a${part}`,
      value: Buffer.from(`${part}${n}`),
    }));
    const { revision } = await writer.txn({ compare: [], then });
    written.push(`${revision} ax=x${n}`, `${revision} ay=y${n}`);
  }
  await seen.until(() => seen.lines.length === written.length);
  expect(seen.lines).toEqual(written);
  expect(asked).toBe(written.length);
  seen.watch.close();
  await reader.close();
});

test("its health is what becomes of a word that it encrypts and decrypts, for 20 s or, when bad, 3 s", async () => {
  const provider = made();
  const pings = () => plugin.calls["v1beta1/Decrypt"];
  await Promise.all([provider.check?.(), provider.check?.()]);
  clock.advance(19_999);
  await provider.check?.();
  expect(pings()).toBe(1);
  clock.advance(1);
  plugin.behaviours["v1beta1/Decrypt"] = () => ({ plain: Buffer.from("pong") });
  await expect(provider.check?.()).rejects.toThrow("it cannot decrypt a value that it encrypted");
  delete plugin.behaviours["v1beta1/Decrypt"];
  clock.advance(2_999);
  await expect(provider.check?.()).rejects.toThrow("it cannot decrypt a value that it encrypted");
  clock.advance(1);
  await provider.check?.();
  expect(pings()).toBe(3);
});
