import { expect, test } from "@jest/globals";
import { RequestEnd } from "./request-end";

test("the end of a request is reported once to each listener, and not to removed ones", () => {
  const end = new RequestEnd();
  const told: string[] = [];
  const gone = () => told.push("gone");
  end.addEventListener("abort", () => told.push("one"));
  end.addEventListener("abort", gone);
  end.addEventListener("abort", () => told.push("other"));
  end.removeEventListener("abort", gone);
  expect([end.aborted, told]).toEqual([false, []]);
  end.abort();
  end.abort();
  expect([end.aborted, told]).toEqual([true, ["one", "other"]]);
});

test("a listener may be removed during the notification", () => {
  const end = new RequestEnd();
  const told: number[] = [];
  const listeners = [0, 1, 2].map((at) => {
    const listener = () => {
      told.push(at);
      end.removeEventListener("abort", listener);
    };
    return listener;
  });
  for (const listener of listeners) end.addEventListener("abort", listener);
  end.abort();
  expect(told).toEqual([0, 1, 2]);
});
