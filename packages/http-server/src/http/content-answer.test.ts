import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gunzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import { Content } from "./content-answer";

const MIB = 1024 * 1024;
const text = (bytes: number) => Buffer.alloc(bytes, '{"type":"object","description":"a line of a schema"},\n');
const packed = async (bytes: number) => {
  const content = new Content(text(bytes), "AB", true);
  await content.pack();
  return content;
};

test("packed content has the bytes and the compressed form of before", async () => {
  // Several steps, the last of them not a whole one.
  const content = new Content(text(MIB + 1), "AB", true);
  const zipped = await content.gzipped();
  expect(await content.pack()).toBe(zipped.length);
  expect(await content.gzipped()).toBe(zipped);
  expect((await content.plain()).equals(text(MIB + 1))).toBe(true);
  expect(gunzipSync(zipped).equals(text(MIB + 1))).toBe(true);
  expect(await content.pack()).toBe(zipped.length);
});

test("empty content can be packed", async () => {
  expect((await (await packed(0)).plain()).length).toBe(0);
});

test("packed content keeps no uncompressed bytes, which readers at the same time share", async () => {
  const gc = garbageCollector();
  const held = async () => {
    for (let times = 0; times < 3; times += 1) {
      // A weak reference is held until the end of the turn that read it.
      await new Promise((resolve) => setTimeout(resolve, 5));
      gc();
    }
    return process.memoryUsage().arrayBuffers / MIB;
  };
  const before = await held();
  const content = await packed(32 * MIB);
  expect((await held()) - before).toBeLessThan(16);
  const readAtOnce = async () => {
    const [one, ...others] = await Promise.all([content.plain(), content.plain(), content.plain()]);
    for (const other of [...others, await content.plain()]) expect(other === one).toBe(true);
  };
  await readAtOnce();
  expect((await held()) - before).toBeLessThan(16);
});

/** The function that `node --expose-gc` provides. */
function garbageCollector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}
