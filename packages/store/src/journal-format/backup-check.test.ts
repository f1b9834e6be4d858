// Checks of a backup while its bytes pass.
import { expect, test } from "@jest/globals";
import { openStore } from "../open-store";
import { BackupCheck } from "./backup-check";

const KEYS = 300;

async function backup(): Promise<Buffer> {
  const store = await openStore({ kind: "memory" });
  for (let at = 0; at < KEYS; at += 1)
    await store.txn({ compare: [], then: [{ kind: "put", key: `/k${at}`, value: Buffer.alloc(at * 7, at) }] });
  const pieces: Buffer[] = [];
  for await (const piece of store.backup?.() ?? []) pieces.push(piece);
  await store.close();
  return Buffer.concat(pieces);
}

function checked(bytes: Buffer, size: number) {
  const check = new BackupCheck("it");
  for (let at = 0; at < bytes.length; at += size) check.push(bytes.subarray(at, at + size));
  return check.finish();
}

test.each([1, 31, 4096, 10_000_000])("a whole backup in pieces of %d bytes is complete", async (size) => {
  expect(checked(await backup(), size)).toEqual({ revision: expect.any(Number), objects: KEYS });
});

test("every cut, every changed part and every other file is found", async () => {
  const whole = await backup();
  for (let length = 0; length < whole.length; length += 997)
    expect(() => checked(whole.subarray(0, length), 65_536)).toThrow(/is empty|not a complete backup/);
  for (let at = 0; at < whole.length - 16; at += 501) {
    const changed = Buffer.from(whole);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    const isFill = changed.readUInt8(at) === 0xfe;
    if (!isFill) expect(() => checked(changed, 65_536)).toThrow(/^it is (damaged|not a backup)/);
  }
  expect(() => checked(Buffer.concat([whole, whole]), 65_536)).toThrow(/^it is damaged/);
  expect(() => checked(Buffer.alloc(100_000, 0x41), 65_536)).toThrow("it is not a backup");
});
