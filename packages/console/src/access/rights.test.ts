import { describe, expect, test } from "@jest/globals";
import { rightsOf, rightsWith } from "./rights";

const rights = rightsOf({
  resourceRules: [
    { verbs: ["get"], apiGroups: [""], resources: ["pods", "configmaps"] },
    { verbs: ["list", "get"], apiGroups: [""], resources: ["pods"] },
    { verbs: ["update"], apiGroups: ["apps"], resources: ["deployments/scale"], resourceNames: ["web", "api"] },
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  ],
  nonResourceRules: [
    { verbs: ["get"], nonResourceURLs: ["/version", "/api"] },
    { verbs: ["post"], nonResourceURLs: ["/api", "*"] },
  ],
});

describe("the rights of a user", () => {
  test("have one row for each resource, name and path, with all verbs", () => {
    expect(rights.map(({ target, name, verbs }) => [target, name, verbs.join(" ")])).toEqual([
      ["all resources", "", "*"],
      ["configmaps", "", "get"],
      ["deployments.apps/scale", "api", "update"],
      ["deployments.apps/scale", "web", "update"],
      ["pods", "", "get list"],
      ["/api", "", "get post"],
      ["/version", "", "get"],
      ["all paths", "", "post"],
    ]);
  });

  test("are none for rules that are null", () => {
    expect(rightsOf({ resourceRules: null })).toEqual([]);
  });

  test("are filtered by resource, name and verb", () => {
    const targets = (text: string) => rightsWith(rights, text).map(({ target }) => target);
    expect(targets(" PODS ")).toEqual(["pods"]);
    expect(targets("update")).toEqual(["deployments.apps/scale", "deployments.apps/scale"]);
    expect(targets("api")).toEqual(["deployments.apps/scale", "/api"]);
    expect(targets("")).toHaveLength(8);
  });
});
