// The providers of a resource together: which one encrypts, which one decrypts, and which values are stale.
import { describe, expect, test } from "@jest/globals";
import { ManualClock } from "@orch/testing";
import { aesCbcProvider, aesGcmProvider } from "./aes";
import { EncryptionError, type EncryptionProvider, IDENTITY } from "./provider";
import { secretboxProvider } from "./secretbox";
import { type OpenedValue, ValueProviders } from "./value-providers";

const MARKER = "orch:enc:";
const KEY = "/registry/core/secrets/default/a";
const PLAIN = Buffer.from('{"kind":"Secret"}');
const secret = (fill: number) => Buffer.alloc(32, fill);
const gcm = (name: string, fill: number) => aesGcmProvider({ name, secret: secret(fill) });
const cbc = (name: string, fill: number) => aesCbcProvider({ name, secret: secret(fill) });
const box = (name: string, fill: number) => secretboxProvider({ name, secret: secret(fill) });

type Providers = readonly [EncryptionProvider, ...EncryptionProvider[]];
const told: string[] = [];
const clock = new ManualClock();
const over = (...providers: Providers) =>
  new ValueProviders(
    {
      marker: MARKER,
      clock,
      observe: ({ type, prefix, isDone }) => told.push(`${type} ${prefix} ${isDone ? "OK" : "failed"}`),
    },
    providers,
  );
const sealed = (...providers: Providers) => over(...providers).seal(PLAIN, KEY) as Buffer;
const opened = (stored: Buffer, ...providers: Providers) => over(...providers).open(stored, KEY) as OpenedValue;

const CURRENT = { value: PLAIN };
const STALE = { value: PLAIN, mark: { kind: "stale" } };
const unreadable = (why: unknown) => ({ mark: { kind: "unreadable", why } });

describe("a value is written by the first provider", () => {
  test.each<[string, Providers, string]>([
    ["with its first key", [gcm("one", 1), gcm("two", 2), IDENTITY], "orch:enc:aesgcm:v1:one:"],
    ["as it is, where that is none", [IDENTITY, gcm("one", 1)], '{"kind":"Secret"}'],
  ])("%s", (_how, providers, begin) => {
    expect(
      sealed(...providers)
        .toString("latin1")
        .startsWith(begin),
    ).toBe(true);
  });
});

describe("a value is read by whoever has made it", () => {
  const plain = PLAIN;
  test.each<[string, Buffer, Providers, object]>([
    ["the first provider and key: as it is", sealed(gcm("a", 1)), [gcm("a", 1), gcm("b", 2), IDENTITY], CURRENT],
    ["another key of the first provider: stale", sealed(gcm("b", 2)), [gcm("a", 1), gcm("b", 2)], STALE],
    ["another provider: stale", sealed(cbc("a", 1)), [box("a", 1), cbc("a", 1)], STALE],
    ["none, by identity behind another: stale", plain, [gcm("a", 1), IDENTITY], STALE],
    ["none, by identity alone: as it is", plain, [IDENTITY, gcm("a", 1)], CURRENT],
    ["a key that identity stands before: stale", sealed(gcm("a", 1)), [IDENTITY, gcm("a", 1)], STALE],
    ["the second of two keys of one name", sealed(gcm("a", 2)), [gcm("a", 1), gcm("a", 2)], STALE],
    ["a key whose name begins as another's", sealed(gcm("a:b", 2)), [gcm("a", 1), gcm("a:b", 2)], STALE],
    ["nobody who is left", sealed(gcm("old", 1)), [gcm("new", 1)], unreadable("no matching prefix found")],
    ["nobody, where identity alone is left", sealed(gcm("a", 1)), [IDENTITY], unreadable("no matching prefix found")],
    ["nobody, where plain ones are not taken", plain, [gcm("a", 1)], unreadable("no matching prefix found")],
    [
      "another secret under the same name",
      sealed(gcm("a", 2)),
      [gcm("a", 1)],
      unreadable(
        "orch:enc:aesgcm:v1:a: the value cannot be decrypted with this key, or was encrypted for another storage key",
      ),
    ],
    ["nothing at all", Buffer.from(MARKER), [gcm("a", 1), IDENTITY], unreadable("no matching prefix found")],
    [
      "a prefix alone",
      Buffer.from("orch:enc:aesgcm:v1:a:"),
      [gcm("a", 1)],
      unreadable("orch:enc:aesgcm:v1:a: the value is too short"),
    ],
  ])("%s", (_by, stored, providers, expected) => expect(opened(stored, ...providers)).toMatchObject(expected));
});

test("an unreadable value keeps its bytes, and the error contains none of them", () => {
  const stored = sealed(gcm("a", 2));
  const failing: EncryptionProvider = {
    ...gcm("a", 1),
    decrypt() {
      throw new TypeError("the secret is hunter2");
    },
  };
  const { value, mark } = opened(stored, failing);
  expect([value, mark]).toEqual([stored, { kind: "unreadable", why: "orch:enc:aesgcm:v1:a: it cannot be decrypted" }]);
});

test("each value is told of, by provider and key", () => {
  const providers: Providers = [gcm("a", 1), IDENTITY];
  told.length = 0;
  const stored = sealed(...providers);
  opened(stored, ...providers);
  opened(PLAIN, ...providers);
  opened(sealed(gcm("b", 1)), ...providers);
  sealed(IDENTITY);
  expect(told).toEqual([
    "to_storage orch:enc:aesgcm:v1:a OK",
    "from_storage orch:enc:aesgcm:v1:a OK",
    "from_storage identity OK",
    "to_storage orch:enc:aesgcm:v1:b OK",
    "from_storage unknown failed",
    "to_storage identity OK",
  ]);
});

/** A provider that asks a service, which may be unavailable. */
class Asking implements EncryptionProvider {
  readonly prefix = "kms:v1:service:";
  isAway = false;
  keyIsOld = false;
  asked = 0;

  async encrypt(plain: Buffer): Promise<Buffer> {
    if (this.isAway) throw new EncryptionError("it is away", { isTransient: true });
    return plain;
  }

  async decrypt(payload: Buffer) {
    this.asked += 1;
    if (this.isAway) throw new EncryptionError("it is away", { isTransient: true });
    return { plain: payload, isStale: this.keyIsOld };
  }

  close(): void {}
}

describe("an asynchronous provider", () => {
  const stored = Buffer.from(`orch:enc:kms:v1:service:${PLAIN}`);

  test("is waited for, and says itself what is stale", async () => {
    const asking = new Asking();
    expect(await over(asking).seal(PLAIN, KEY)).toEqual(stored);
    expect(await opened(stored, asking)).toEqual(CURRENT);
    asking.keyIsOld = true;
    expect(await opened(stored, asking)).toEqual(STALE);
  });

  test("that is away leaves values unreadable for now, and is not asked about each of them", async () => {
    const asking = new Asking();
    const providers = over(asking, IDENTITY);
    asking.isAway = true;
    const expected = { ...unreadable("orch:enc:kms:v1:service: it is away"), isTransient: true };
    for (let times = 0; times < 3; times += 1) expect(await providers.open(stored, KEY)).toMatchObject(expected);
    expect(asking.asked).toBe(1);
    asking.isAway = false;
    clock.advance(1000);
    expect(await providers.open(stored, KEY)).toEqual(CURRENT);
    asking.isAway = true;
    await expect(Promise.resolve(providers.seal(PLAIN, KEY))).rejects.toThrow("it is away");
  });

  test("that fails lets those behind it try", async () => {
    const first = new Asking();
    first.isAway = true;
    expect(await opened(stored, first, new Asking())).toEqual(STALE);
  });
});
