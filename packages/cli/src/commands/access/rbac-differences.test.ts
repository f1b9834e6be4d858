import { expect, test } from "@jest/globals";
import { missingRules, missingSubjects } from "./rbac-differences";

const rule = (verbs: string, resources: string, names?: string) => ({
  verbs: verbs.split(","),
  apiGroups: [""],
  resources: resources.split(","),
  ...(names === undefined ? {} : { resourceNames: names.split(",") }),
});

test.each([
  [[], [rule("get", "pods")], [rule("get", "pods")]],
  [[rule("get", "pods")], [rule("get,list", "pods")], [rule("list", "pods")]],
  [[rule("*", "*")], [rule("get,list", "pods,services")], []],
  [[rule("get", "pods"), rule("get", "services")], [rule("get", "pods,services")], []],
  [[rule("get", "pods", "web")], [rule("get", "pods")], [rule("get", "pods")]],
  [[rule("get", "pods")], [rule("get", "pods", "web")], []],
  [[rule("get", "*/log")], [rule("get", "pods/log")], []],
  [[{ verbs: ["get"], nonResourceURLs: ["/api/*"] }], [{ verbs: ["get"], nonResourceURLs: ["/api/v1"] }], []],
])("%j lacks of %j: %j", (having, wanted, missing) => {
  expect(missingRules(having, wanted)).toEqual(missing);
});

test("subjects are compared by kind, name and namespace", () => {
  const having = [{ kind: "User", name: "ann", apiGroup: "x" }];
  const wanted = [
    { kind: "User", name: "ann" },
    { kind: "Group", name: "ann" },
  ];
  expect(missingSubjects(having, wanted)).toEqual([{ kind: "Group", name: "ann" }]);
});
