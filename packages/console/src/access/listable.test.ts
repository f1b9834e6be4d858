import { describe, expect, test } from "@jest/globals";
import type { Resource } from "../discovery/resource";
import { listableText } from "./listable";

const resource = (name: string, group = "", more: Partial<Resource> = {}): Resource => ({
  ...{ name, group, version: "v1", kind: name, singular: "", shortNames: [], categories: [] },
  ...{ isNamespaced: true, verbs: ["list"], subresources: [], versions: ["v1"] },
  ...more,
});
const RESOURCES = [
  ...["pods", "configmaps", "secrets", "events"].map((name) => resource(name)),
  resource("deployments", "apps"),
  resource("nodes", "", { isNamespaced: false }),
  resource("bindings", "", { verbs: ["create"] }),
];
const text = (...rules: readonly object[]) => listableText({ resourceRules: rules }, RESOURCES);

describe("the kinds that a user may list", () => {
  test("are named, up to three of them", () => {
    expect(text({ verbs: ["list"], apiGroups: [""], resources: ["pods"] })).toBe("pods");
    expect(
      text({ verbs: ["list"], apiGroups: ["", "apps"], resources: ["pods", "secrets", "events", "deployments"] }),
    ).toBe("pods, secrets, events and 1 more");
  });

  test("are all of a namespace, or nothing", () => {
    expect(text({ verbs: ["*"], apiGroups: ["*"], resources: ["*"] })).toBe("all kinds");
    expect(text({ verbs: ["get"], apiGroups: [""], resources: ["pods"] })).toBe("nothing");
    expect(text({ verbs: ["list"], apiGroups: [""], resources: ["pods"], resourceNames: ["web"] })).toBe("nothing");
    expect(listableText({ resourceRules: null }, RESOURCES)).toBe("nothing");
  });
});
