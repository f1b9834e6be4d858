import { beforeEach, expect, test } from "@jest/globals";
import { MutexQueue } from "./mutex-queue";

let begun: string[];
let turns: MutexQueue<string>;
beforeEach(() => {
  begun = [];
  turns = new MutexQueue((member, at) => void begun.push(`${member} ${at}`));
});

test("one at a time, in the order in which they asked; what has another name is apart", () => {
  turns.want("a", "log");
  turns.want("b", "log");
  turns.want("c", "backups");
  expect(begun).toEqual(["a log", "c backups"]);
  turns.over("b", "log");
  expect(begun).toHaveLength(2);
  turns.over("a", "log");
  expect(begun).toEqual(["a log", "c backups", "b log"]);
});

test("a worker that ends during its turn releases it and waits for no other", () => {
  turns.want("a", "log");
  turns.want("b", "log");
  turns.want("a", "log");
  turns.want("c", "log");
  turns.gone("a");
  expect(begun).toEqual(["a log", "b log"]);
  turns.over("b", "log");
  expect(begun.at(-1)).toBe("c log");
  turns.over("c", "log");
  turns.want("d", "log");
  expect(begun.at(-1)).toBe("d log");
});
