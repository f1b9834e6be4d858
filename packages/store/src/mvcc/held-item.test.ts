import { expect, test } from "@jest/globals";
import { revisionOf } from "../contract/contract";
import { openStore } from "../open-store";

test("a value that is shown to be in other bytes is held there alone, and reads as it was put", async () => {
  const store = await openStore({ kind: "memory" });
  try {
    const value = Buffer.from("{name}");
    await store.txn({ compare: [], then: [{ kind: "put", key: "/a", value }] });
    const { size } = await store.status();
    const [item] = (await store.range({ start: "/a" })).items;
    const before = item?.value;
    expect(before).toBe(value);
    const whole = Buffer.from("{version,name}");
    item?.heldIn?.(whole, { at: 1, length: "version,".length });
    const [again] = (await store.range({ start: "/a" })).items;
    expect(again?.value.toString()).toBe("{name}");
    expect(before?.toString()).toBe("{name}");
    expect((await store.status()).size).toBe(size);
    const [key] = (await store.range({ start: "/a", keysOnly: true })).items;
    expect(key).toMatchObject({ key: "/a", value: Buffer.alloc(0), version: 1 });
    const seen = new Promise<string>((resolve) => {
      const watch = store.watch(
        { start: "/a", fromRevision: item?.modRevision ?? 0 },
        {
          batch({ events: [event] }) {
            watch.close();
            if (event?.kind === "put") resolve(`${revisionOf(event)} ${event.item.value}`);
          },
          interrupted: () => {},
          ended: () => {},
        },
      );
    });
    expect(await seen).toBe(`${item?.modRevision} {name}`);
  } finally {
    await store.close();
  }
});
