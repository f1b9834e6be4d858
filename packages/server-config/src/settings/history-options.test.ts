import { describe, expect, test } from "@jest/globals";
import type { ServerConfig } from "../flags/server-flags";
import { historyRules } from "./history-options";

const read = (...history: readonly string[]) =>
  historyRules({ history, "history-max-age": 1, "history-max-bytes": 2 } as unknown as ServerConfig);
const statesOf = (of: ReturnType<typeof read>, resource: string, group = "") => of.rules.statesOf({ group, resource });

describe("--history", () => {
  test("names resources with numbers, and without one in front of the next number", () => {
    const found = read("configmaps,deployments.apps=5,secrets=3", "*.example.com=20");
    expect(found.errors).toEqual([]);
    expect(statesOf(found, "configmaps")).toBe(5);
    expect(statesOf(found, "deployments", "apps")).toBe(5);
    expect(statesOf(found, "secrets")).toBe(3);
    expect(statesOf(found, "widgets", "example.com")).toBe(20);
    expect(statesOf(found, "pods")).toBe(0);
    expect(statesOf(found, "configmaps", "other.example")).toBe(0);
  });

  test("prefers a resource to its group, and a group to all", () => {
    const found = read("*.*=1,*.=2,pods=3");
    expect(found.errors).toEqual([]);
    expect(statesOf(found, "pods")).toBe(3);
    expect(statesOf(found, "services")).toBe(2);
    expect(statesOf(found, "deployments", "apps")).toBe(1);
  });

  test("is off without a value", () => {
    expect(statesOf(read(), "pods")).toBe(0);
  });

  test.each([
    ["configmaps", '--history: "configmaps" has no number of states: end the list with =N, such as "configmaps=10"'],
    ["configmaps=0", '--history: "configmaps=0" must end with a number of states from 1 to 1000'],
    ["configmaps=1001", '--history: "configmaps=1001" must end with a number of states from 1 to 1000'],
    ["configmaps=ten", '--history: "configmaps=ten" must end with a number of states from 1 to 1000'],
    ["configmaps=1=2", '--history: "configmaps=1=2" must end with a number of states from 1 to 1000'],
    ["events=5", '--history: "events=5" is a resource without a history: remove it'],
    ["pods=1,pods=2", '--history: "pods=2" is named twice'],
    ["pods,pods=2", '--history: "pods=2" is named twice'],
    ["=5", "is not the name of a resource"],
    ["*=5", "is not the name of a resource"],
    ["Pods=5", "is not the name of a resource"],
    ["pods=5,", "is not the name of a resource"],
    ["a/b=5", "is not the name of a resource"],
  ])("%s is refused", (text, message) => {
    const { errors } = read(text);
    expect(errors[0]).toContain(message);
  });
});
