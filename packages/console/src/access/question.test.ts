import { describe, expect, test } from "@jest/globals";
import type { Resource } from "../discovery/resource";
import { questionAddress } from "../routes/addresses";
import { readRoute } from "../routes/route";
import { questionQuery, readQuestion, understood } from "./question";

const resource = (name: string, group: string, more: Partial<Resource> = {}): Resource => ({
  ...{ name, group, version: "v1", kind: `${name.slice(0, 1).toUpperCase()}${name.slice(1, -1)}` },
  ...{ singular: name.slice(0, -1), shortNames: [], categories: [], isNamespaced: true },
  ...{ verbs: ["get"], subresources: [], versions: ["v1"] },
  ...more,
});
const RESOURCES = [
  resource("pods", "", { shortNames: ["po"], subresources: ["log"] }),
  resource("events", ""),
  resource("events", "events.example.com"),
  resource("nodes", "", { isNamespaced: false }),
];
const question = (verb: string, type: string, namespace = "shop") =>
  understood({ verb, resource: type, subresource: "", name: "", namespace }, RESOURCES);

describe("a question", () => {
  test.each([
    ["pods", { group: "", resource: "pods", subresource: "" }],
    ["po", { group: "", resource: "pods" }],
    ["Pod", { group: "", resource: "pods" }],
    ["pods/log", { resource: "pods", subresource: "log" }],
    ["events", { group: "", resource: "events" }],
    ["events.events.example.com", { group: "events.example.com", resource: "events" }],
    ["nodes", { resource: "nodes", namespace: "" }],
  ])("about %s is understood", (type, expected) => {
    const found = question("get", type);
    expect(found?.asked).toMatchObject({ kind: "resource", verb: "get", namespace: "shop", ...expected });
    expect(found?.isKnown).toBe(true);
  });

  test("about a resource that the server does not serve is asked as it is", () => {
    expect(question("get", "widgets.example.com")).toMatchObject({
      asked: { group: "example.com", resource: "widgets" },
      isKnown: false,
    });
    expect(question("impersonate", "users")?.isKnown).toBe(true);
    expect(question("*", "*")?.asked).toMatchObject({ verb: "*", group: "", resource: "*" });
  });

  test("about a path has no namespace", () => {
    expect(question("get", "/metrics")?.asked).toEqual({ kind: "path", verb: "get", path: "/metrics" });
  });

  test("without a verb or a resource is none", () => {
    expect(question("", "pods")).toBeUndefined();
    expect(question("get", "")).toBeUndefined();
  });

  test("is kept by its address", () => {
    const asked = question("get", "pods/log")?.asked;
    if (asked === undefined) throw new Error("no question");
    const read = readQuestion(readRoute(questionAddress(asked)).query);
    expect(understood(read, RESOURCES)?.asked).toEqual(asked);
    expect(questionQuery(read)).toEqual({ verb: "get", resource: "pods", sub: "log", name: "", ns: "shop" });
  });
});
