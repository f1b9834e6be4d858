import { expect, test } from "@jest/globals";
import { EventLoopYielder } from "@orch/registry";
import { PIECE_BYTES, PiecePool, PieceWriter } from "./piece-writer";

/** Records the bytes at the time of sending, and the buffers that held them. */
function collecting(pool: PiecePool) {
  const sent: Buffer[] = [];
  const memory: ArrayBufferLike[] = [];
  const out = new PieceWriter(
    pool,
    async (bytes) => {
      sent.push(Buffer.from(bytes));
      memory.push(bytes.buffer);
    },
    new EventLoopYielder(),
  );
  return { out, sent, memory };
}

test.each<[string, readonly string[]]>([
  ["nothing", []],
  ["a little", ["a", "bc"]],
  ["exactly one piece", ["x".repeat(PIECE_BYTES)]],
  ["one byte more", ["x".repeat(PIECE_BYTES), "y"]],
  ["texts of several bytes a character across the end of a piece", Array.from({ length: 9000 }, (_, n) => `${n}ä€𝄞`)],
  ["one that is larger than several pieces", ["a", "é".repeat(PIECE_BYTES * 2), "b"]],
])("%s comes out as it went in, in whole pieces", async (_what, texts) => {
  for (const way of ["text", "copy", "byte"] as const) {
    const { out, sent } = collecting(new PiecePool());
    for (const text of texts) {
      if (way === "text") out.text(text);
      else if (way === "copy") out.copy(Buffer.from(`<${text}>`), 1, Buffer.byteLength(text) + 1);
      else for (const byte of Buffer.from(text)) out.byte(byte);
      if (out.isFull) await out.sendFull();
    }
    await out.end();
    expect(Buffer.concat(sent).equals(Buffer.from(texts.join("")))).toBe(true);
    expect(sent.slice(0, -1).every(({ length }) => length === PIECE_BYTES)).toBe(true);
  }
});

test("a piece is used again when it has been sent, and not before", async () => {
  const pool = new PiecePool();
  let sent = (): void => {};
  const held: Buffer[] = [];
  const slow = new PieceWriter(
    pool,
    (bytes) => {
      held.push(bytes);
      return new Promise((resolve) => {
        sent = resolve;
      });
    },
    new EventLoopYielder(),
  );
  slow.copy(Buffer.alloc(PIECE_BYTES + 1, "s"));
  const sending = slow.sendFull();
  const others = collecting(pool);
  for (let n = 0; n < 10; n += 1) {
    others.out.copy(Buffer.alloc(PIECE_BYTES, "o"));
    await others.out.sendFull();
  }
  await others.out.end();
  expect(new Set(others.memory).size).toBe(2);
  expect(others.memory).not.toContain(held[0]?.buffer);
  expect(held[0]?.equals(Buffer.alloc(PIECE_BYTES, "s"))).toBe(true);
  sent();
  await sending;
  const next = Array.from({ length: 3 }, () => pool.take().buffer);
  expect(next).toContain(held[0]?.buffer);
});

test("a piece that could not be sent is never used again", async () => {
  const pool = new PiecePool();
  const held: ArrayBufferLike[] = [];
  const out = new PieceWriter(
    pool,
    async (bytes) => {
      held.push(bytes.buffer);
      throw new Error("the client left");
    },
    new EventLoopYielder(),
  );
  out.copy(Buffer.alloc(PIECE_BYTES + 1));
  await expect(out.sendFull()).rejects.toThrow("the client left");
  await expect(out.end()).rejects.toThrow("the client left");
  expect(held).toHaveLength(2);
  for (const memory of held) for (let n = 0; n < 5; n += 1) expect(pool.take().buffer).not.toBe(memory);
});
