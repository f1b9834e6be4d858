import { describe, expect, test } from "@jest/globals";
import { ClientGoneError } from "@orch/platform";
import { FairQueue } from "./fair-queue";

const OPTIONS = { running: 1, waiting: 10, waitingOfOne: 3, waitingBytes: 1000 };
const FOREVER = new AbortController().signal;

/** Work that records its start and ends on demand. */
function works() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  return { begun, work, end };
}

describe("work that waits for its turn", () => {
  test("goes on one after the other, users in turn", async () => {
    const queue = new FairQueue(OPTIONS);
    const { begun, work, end } = works();
    const names = ["a1", "a2", "a3", "b1", "b2", "c1"];
    const done = names.map((name) => queue.run({ user: name.slice(0, 1), bytes: 1 }, FOREVER, work(name)));
    for (let n = 0; n < names.length; n += 1) await end(begun.at(-1) as string);
    expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3", "b2"]);
    expect(await Promise.all(done)).toEqual(names);
  });

  test("is refused when too much waits: of one user, of all, or in bytes", () => {
    const of = (options: Partial<typeof OPTIONS>, asked: readonly [user: string, bytes: number][]) => {
      const queue = new FairQueue({ ...OPTIONS, ...options });
      const { work } = works();
      return asked.map(([user, bytes]) => queue.run({ user, bytes }, FOREVER, work("x")) !== undefined);
    };
    expect(
      of(
        {},
        Array.from({ length: 5 }, () => ["a", 1]),
      ),
    ).toEqual([true, true, true, true, false]);
    expect(
      of({ waiting: 1 }, [
        ["a", 1],
        ["b", 1],
        ["c", 1],
      ]),
    ).toEqual([true, true, false]);
    expect(
      of({}, [
        ["a", 1],
        ["b", 900],
        ["c", 200],
        ["c", 100],
      ]),
    ).toEqual([true, true, false, true]);
  });

  test("canceled work is never started and frees its place", async () => {
    const queue = new FairQueue({ ...OPTIONS, waitingOfOne: 1 });
    const { begun, work, end } = works();
    const controller = new AbortController();
    void queue.run({ user: "a", bytes: 1 }, FOREVER, work("first"));
    const left = queue.run({ user: "a", bytes: 1 }, controller.signal, work("left"));
    controller.abort();
    await expect(left).rejects.toThrow(ClientGoneError);
    void queue.run({ user: "a", bytes: 1 }, FOREVER, work("second"));
    await end("first");
    expect(begun).toEqual(["first", "second"]);
  });

  test("goes on after work that fails", async () => {
    const queue = new FairQueue(OPTIONS);
    const failing = queue.run({ user: "a", bytes: 1 }, FOREVER, () => Promise.reject(new Error("no")));
    const next = queue.run({ user: "a", bytes: 1 }, FOREVER, async () => "next");
    await expect(failing).rejects.toThrow("no");
    expect(await next).toBe("next");
  });
});
