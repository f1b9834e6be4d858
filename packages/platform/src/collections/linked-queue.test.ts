import { expect, test } from "@jest/globals";
import { LinkedQueue, type QueueNode } from "./linked-queue";

test("those that come stand in that order, whoever is taken out between them", () => {
  const queue = new LinkedQueue<number>();
  const places = [0, 1, 2, 3, 4].map((item) => queue.add(item));
  for (const at of [2, 0, 4]) expect(queue.delete(places[at] as QueueNode<number>)).toBe(true);
  expect([...queue]).toEqual([1, 3]);
  expect({ first: queue.first?.item, size: queue.size }).toEqual({ first: 1, size: 2 });
  queue.add(5);
  expect([...queue]).toEqual([1, 3, 5]);
});

test("a removed item is not removed again and does not lead to the others", () => {
  const queue = new LinkedQueue<string>();
  const [, middle] = ["a", "b", "c"].map((item) => queue.add(item)) as [unknown, QueueNode<string>];
  queue.delete(middle);
  expect(queue.delete(middle)).toBe(false);
  expect(middle).toMatchObject({ before: undefined, after: undefined });
  expect([...queue]).toEqual(["a", "c"]);
});

test("an empty queue begins anew", () => {
  const queue = new LinkedQueue<string>();
  queue.delete(queue.add("a"));
  expect({ all: [...queue], first: queue.first, size: queue.size }).toEqual({ all: [], first: undefined, size: 0 });
  queue.add("b");
  expect([...queue]).toEqual(["b"]);
});

test("the one that is shown may be taken out", () => {
  const queue = new LinkedQueue<number>();
  const places = [1, 2, 3].map((item) => queue.add(item));
  const shown: number[] = [];
  for (const item of queue) {
    shown.push(item);
    queue.delete(places[item - 1] as QueueNode<number>);
  }
  expect(shown).toEqual([1, 2, 3]);
  expect(queue.size).toBe(0);
});
