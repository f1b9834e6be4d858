import { beforeEach, describe, expect, test } from "@jest/globals";
import { KeySequence } from "./keys";

describe("the keys of every page", () => {
  let done: string[];
  let keys: KeySequence;
  beforeEach(() => {
    done = [];
    keys = new KeySequence({
      search: () => done.push("search"),
      help: () => done.push("help"),
      jump: (key) => {
        done.push(`jump ${key}`);
        return key === "k";
      },
    });
  });

  test("search, and help", () => {
    expect(keys.press("/", 0)).toBe(true);
    expect(keys.press("?", 1)).toBe(true);
    expect(done).toEqual(["search", "help"]);
  });

  test("jump after g, once", () => {
    expect([keys.press("g", 0), keys.press("k", 100), keys.press("k", 200)]).toEqual([true, true, false]);
    expect(done).toEqual(["jump k"]);
  });

  test("forget g after a while, and after a key that leads nowhere", () => {
    keys.press("g", 0);
    expect(keys.press("k", 5000)).toBe(false);
    keys.press("g", 6000);
    expect(keys.press("x", 6001)).toBe(false);
    expect(keys.press("/", 6002)).toBe(true);
    expect(done).toEqual(["jump x", "search"]);
  });
});
