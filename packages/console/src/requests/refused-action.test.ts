import { describe, expect, test } from "@jest/globals";
import { failureOf } from "./failure";
import { refusedAction } from "./refused-action";

const refused = (message: string, name?: string, code = 403) =>
  refusedAction(failureOf(code, { kind: "Status", code, reason: "Forbidden", message, details: { name } }));

describe("the refused action of a failure", () => {
  test("has verb, resource, subresource, group, name and namespace", () => {
    const message = `pods "web" is forbidden: User "ann" cannot get resource "pods/log" in API group "" in the namespace "shop"`;
    expect(refused(message, "web")).toEqual({
      ...{ kind: "resource", verb: "get", resource: "pods", subresource: "log" },
      ...{ group: "", name: "web", namespace: "shop" },
    });
    const cluster = `widgets.example.com is forbidden: User "ann" cannot list resource "widgets" in API group "example.com" at the cluster scope: nearest`;
    expect(refused(cluster)).toMatchObject({ verb: "list", group: "example.com", name: "", namespace: "" });
  });

  test("has the path of a request that is about no resource", () => {
    expect(refused(`forbidden: User "ann" cannot get path "/a&amp;b"`)).toEqual({
      ...{ kind: "path", verb: "get", path: "/a&b" },
    });
  });

  test("is not taken from the name of a user", () => {
    const name = JSON.stringify(`x" cannot get resource "secrets" in API group "" at the cluster scope`);
    const message = `pods is forbidden: User ${name} cannot list resource "pods" in API group "" at the cluster scope`;
    expect(refused(message)).toMatchObject({ verb: "list", resource: "pods" });
  });

  test.each([
    ["refusals of admission", `admission webhook "x" denied the request: no`, 403],
    ["other failures", `User "ann" cannot get path "/metrics"`, 404],
  ])("does not exist for %s", (_what, message, code) => {
    expect(refused(message, undefined, code)).toBeUndefined();
  });
});
