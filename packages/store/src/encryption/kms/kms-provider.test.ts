// Common behaviour of KMS v1 and v2, tested with a real service on a Unix socket.

import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "@jest/globals";
import { type KmsBehaviour, KmsPlugin, type KmsPluginMethod, type ManualClock } from "@orch/testing";
import { EncryptionError, type EncryptionProvider, type KmsTerms } from "../provider";
import { type KmsCall, UNOBSERVED } from "./kms-observer";
import { kmsProvider } from "./kms-provider";
import { useKeyService } from "./testing/use-key-service";

const PLACE = "/registry/secrets/default/one";
const PLAIN = Buffer.from('{"kind":"Secret"}');
const HANGS: KmsBehaviour = () => undefined;
const VERSIONS = ["v1", "v2"] as const;
const MESSAGES = { v1: "v1beta1", v2: "v2" } as const;

let folder: string;
let plugin: KmsPlugin;
let clock: ManualClock;
const keep = useKeyService((begun) => {
  ({ folder, plugin, clock } = begun);
});

function made(terms: Partial<KmsTerms>, deps: Parameters<typeof kmsProvider>[1] = {}): EncryptionProvider {
  const all = { apiVersion: "v1", name: "one", endpoint: plugin.endpoint, timeoutMs: 10_000, cacheSize: 10 } as const;
  return keep(kmsProvider({ ...all, ...terms }, { clock, ...deps }));
}

const failure = async (work: () => unknown): Promise<string> => {
  try {
    await work();
  } catch (error) {
    expect(error).toBeInstanceOf(EncryptionError);
    const { isTransient, message } = error as EncryptionError;
    return `${isTransient ? "unavailable" : "wrong"} ${message}`;
  }
  return "none";
};

describe.each(VERSIONS)("the interface %s", (apiVersion) => {
  const method = (name: "Encrypt" | "Decrypt") => `${MESSAGES[apiVersion]}/${name}` as KmsPluginMethod;

  test("gives back what it was given, under its prefix", async () => {
    const provider = made({ apiVersion });
    expect(provider.prefix).toBe(`kms:${apiVersion}:one:`);
    for (const plain of [PLAIN, Buffer.alloc(0), Buffer.alloc(3 << 20, "x")]) {
      const payload = await provider.encrypt(plain, PLACE);
      expect(payload.includes(PLAIN)).toBe(false);
      const { plain: back, isStale } = await provider.decrypt(payload, PLACE);
      expect(back.equals(plain)).toBe(true);
      expect(isStale).toBe(false);
    }
  });

  test("reads what another process has written, by one question for all who ask at once", async () => {
    const payload = await made({ apiVersion }).encrypt(PLAIN, PLACE);
    const other = made({ apiVersion });
    await other.check?.();
    const before = plugin.calls[method("Decrypt")];
    const all = await Promise.all(Array.from({ length: 20 }, () => other.decrypt(payload, PLACE)));
    expect(all.every(({ plain }) => plain.equals(PLAIN))).toBe(true);
    expect(plugin.calls[method("Decrypt")] - before).toBe(1);
    await other.decrypt(payload, PLACE);
    expect(plugin.calls[method("Decrypt")] - before).toBe(1);
  });

  test("is reached on an abstract socket", async () => {
    const abstract = await new KmsPlugin(`@orch-kms-${process.pid}-${apiVersion}`).start();
    const provider = made({ apiVersion, endpoint: abstract.endpoint });
    const { plain } = await provider.decrypt(await provider.encrypt(PLAIN, PLACE), PLACE);
    expect(plain.equals(PLAIN)).toBe(true);
    provider.close();
    abstract.stop();
  });

  test("is not there yet, goes and comes back", async () => {
    plugin.stop();
    const provider = made({ apiVersion });
    expect(await failure(() => provider.encrypt(PLAIN, PLACE))).toMatch(
      /^unavailable .*"one": cannot be reached: "connect ENOENT .*kms.sock"$/,
    );
    expect(await failure(() => provider.check?.())).toMatch(/^unavailable /);
    await plugin.start();
    const payload = await heals(() => provider.encrypt(PLAIN, PLACE));
    await heals(() => provider.check?.());

    plugin.stop();
    expect((await provider.decrypt(payload, PLACE)).plain.equals(PLAIN)).toBe(true);
    const stranger = made({ apiVersion });
    expect(await failure(() => stranger.decrypt(payload, PLACE))).toMatch(/^unavailable /);
    await plugin.start();
    const { plain } = await heals(() => stranger.decrypt(payload, PLACE));
    expect(plain.equals(PLAIN)).toBe(true);
  });

  test("that hangs fails each within its time, and those that wait with them", async () => {
    const payload = await made({ apiVersion }).encrypt(PLAIN, PLACE);
    plugin.behaviours[method("Decrypt")] = HANGS;
    const provider = made({ apiVersion, timeoutMs: 50 });
    const all = Array.from({ length: 200 }, (_, i) =>
      failure(() => provider.decrypt(withOtherKey(payload, apiVersion, i), PLACE)),
    );
    expect([...new Set(await Promise.all(all))]).toEqual([
      'unavailable key management service "one": no answer within 50 ms',
    ]);
    expect(plugin.calls[method("Decrypt")]).toBeLessThan(100);
    delete plugin.behaviours[method("Decrypt")];
    expect((await heals(() => provider.decrypt(payload, PLACE))).plain.equals(PLAIN)).toBe(true);
  });

  test("fails pending calls when it is closed", async () => {
    const payload = await made({ apiVersion }).encrypt(PLAIN, PLACE);
    plugin.behaviours[method("Decrypt")] = HANGS;
    const provider = made({ apiVersion });
    const asked = plugin.asked(method("Decrypt"));
    const outcome = failure(() => provider.decrypt(payload, PLACE));
    await asked;
    provider.close();
    expect(await outcome).toMatch(/^unavailable .*no longer uses it/);
    expect(await failure(() => provider.decrypt(payload, PLACE))).toMatch(/^unavailable .*no longer uses it/);
  });

  test.each<[string, KmsBehaviour, RegExp]>([
    ["an error", () => ({ code: 7, details: "no such key" }), /^wrong .*PERMISSION_DENIED: "no such key"$/],
    ["an endless error", () => ({ code: 13, details: "x".repeat(20_000) }), /^wrong .{300,400}$/],
    ["bytes that are no message", () => ({ raw: Buffer.from([0x0a, 0x7f]) }), /^wrong .*cannot be read/],
    ["nothing", () => ({}), /^wrong .*a data key of 0 bytes/],
    [
      "a key of a strange length",
      () => ({ plain: Buffer.alloc(33 - 4), plaintext: Buffer.alloc(33 - 4) }),
      /^wrong .* 29 bytes/,
    ],
    [
      "more than it may",
      () => ({ plain: Buffer.alloc(1 << 20), plaintext: Buffer.alloc(1 << 20) }),
      /^wrong .*RESOURCE_EXHAUSTED/,
    ],
    ["another key", () => ({ plain: Buffer.alloc(32), plaintext: Buffer.alloc(32) }), /^wrong the value /],
  ])("answers a Decrypt with %s", async (_what, behaviour, expected) => {
    const payload = await made({ apiVersion }).encrypt(PLAIN, PLACE);
    plugin.behaviours[method("Decrypt")] = behaviour;
    expect(await failure(() => made({ apiVersion }).decrypt(payload, PLACE))).toMatch(expected);
  });

  test.each<[string, (payload: Buffer) => Buffer]>([
    ["empty", () => Buffer.alloc(0)],
    ["one byte", () => Buffer.alloc(1)],
    ["cut in its key", (payload) => payload.subarray(0, 20)],
    ["cut in half", (payload) => payload.subarray(0, payload.length >> 1)],
    ["changed at its end", (payload) => changed(payload, payload.length - (apiVersion === "v1" ? 17 : 3))],
    ["zeros", () => Buffer.alloc(1 << 20)],
    ["groups in groups", () => Buffer.alloc(3 << 20, 0x33)],
  ])("a stored value that is %s", async (_what, damage) => {
    const provider = made({ apiVersion });
    const payload = await provider.encrypt(PLAIN, PLACE);
    expect(await failure(() => provider.decrypt(damage(payload), PLACE))).toMatch(/^wrong /);
  });

  test("tells of its calls", async () => {
    const calls: KmsCall[] = [];
    const provider = made({ apiVersion }, { observer: { ...UNOBSERVED, called: (call) => calls.push(call) } });
    await provider.encrypt(PLAIN, PLACE);
    expect(calls.map(({ method, status }) => `${method.split("/")[2]} ${status}`)).toEqual(
      apiVersion === "v1" ? ["Version OK", "Encrypt OK"] : ["Status OK", "Encrypt OK", "Decrypt OK"],
    );
  });
});

describe.each(VERSIONS)("a server that is not a key management service, called by %s", (apiVersion) => {
  let server: Server;
  const sockets = new Set<Socket>();
  const listen = async (onConnection: (socket: Socket) => void): Promise<string> => {
    const path = join(folder, "other.sock");
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      onConnection(socket);
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    return `unix://${path}`;
  };
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    server?.close();
  });

  test.each<[string, (socket: Socket) => void]>([
    ["hangs up", (socket) => socket.destroy()],
    ["says nothing", () => {}],
    ["speaks HTTP/1.1", (socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n")],
    [
      "sends without end",
      (socket) => socket.on("drain", () => socket.write(Buffer.alloc(65_536, 7))).write(Buffer.alloc(65_536, 7)),
    ],
  ])("%s", async (_what, onConnection) => {
    const provider = made({ apiVersion, endpoint: await listen(onConnection), timeoutMs: 200 });
    expect(await failure(() => provider.encrypt(PLAIN, PLACE))).toMatch(/^unavailable /);
  });

  test.each<[string, () => string]>([
    ["a path too long for a socket", () => `unix://${join(folder, "x".repeat(200))}`],
    ["a file", () => `unix://${__filename}`],
    ["a folder", () => `unix://${folder}`],
  ])("%s", async (_what, endpoint) => {
    const provider = made({ apiVersion, endpoint: endpoint(), timeoutMs: 2_000 });
    expect(await failure(() => provider.encrypt(PLAIN, PLACE))).toMatch(/^unavailable /);
  });
});

/** Repeats the work until the connection is established again. */
async function heals<T>(work: () => T | Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      expect(error).toMatchObject({ isTransient: true });
      clock.advance(3_000);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

const changed = (payload: Buffer, at: number): Buffer => {
  const copy = Buffer.from(payload);
  copy[at] = (copy[at] as number) ^ 1;
  return copy;
};

/**
 * Changes the encrypted key of a payload, so that each key must be requested: in v1 it follows its length, in v2 the id
 * `key-1`.
 */
function withOtherKey(payload: Buffer, apiVersion: "v1" | "v2", n: number): Buffer {
  const at = apiVersion === "v1" ? 12 : payload.indexOf("key-1", payload.indexOf("key-1") + 5) + 8;
  const copy = Buffer.from(payload);
  copy.writeUInt16BE((copy.readUInt16BE(at) + n) % 65_536, at);
  return copy;
}
