import { expect, test } from "@jest/globals";
import { DiskRoom, RESERVE_BYTES } from "./disk-room";

const MEBIBYTE = 1024 * 1024;
const record = (mebibytes: number) => [{ length: mebibytes * MEBIBYTE }];

function disk(freeMebibytes: number) {
  const state = { free: RESERVE_BYTES + freeMebibytes * MEBIBYTE, nowMs: 0, looks: 0 };
  const room = new DiskRoom({
    freeBytes: async () => {
      state.looks += 1;
      return state.free;
    },
    now: () => state.nowMs,
  });
  return { state, room };
}

test("a write that would reach into the reserve is refused, a smaller one is not", async () => {
  const { room } = disk(2);
  await expect(room.claim(record(2))).rejects.toMatchObject({
    code: "full",
    message: /^18 MiB are free .* 16 MiB are kept$/,
  });
  await room.claim(record(1));
});

test("a disk that fills up meanwhile is seen a little later, and so is room that somebody makes", async () => {
  const { room, state } = disk(100);
  await room.claim(record(0.001));
  state.free = 0;
  await room.claim(record(0.001));
  state.nowMs += 1000;
  await expect(room.claim(record(0.001))).rejects.toMatchObject({ code: "full" });
  state.free = RESERVE_BYTES + MEBIBYTE;
  await room.claim(record(0.001));
});

test("it is looked at again after a few mebibytes, however fast they come, and not at every write", async () => {
  const { room, state } = disk(100);
  for (let count = 0; count < 100; count += 1) await room.claim(record(0.01));
  expect(state.looks).toBe(1);
  for (let count = 0; count < 8; count += 1) await room.claim(record(1));
  expect(state.looks).toBeGreaterThan(2);
});
