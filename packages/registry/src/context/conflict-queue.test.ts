import { expect, test } from "@jest/globals";
import { ConflictQueue } from "./conflict-queue";

test("writers of one object take turns in the order in which they asked, others do not wait for them", async () => {
  const turns = new ConflictQueue();
  const order: string[] = [];
  const endFirst = await turns.take("a");
  const second = turns.take("a").then((end) => {
    order.push("second");
    end();
  });
  const third = turns.take("a").then((end) => {
    order.push("third");
    end();
  });
  (await turns.take("b"))();
  expect(order).toEqual([]);
  endFirst();
  await Promise.all([second, third]);
  expect(order).toEqual(["second", "third"]);
  (await turns.take("a"))();
});
