import { expect, test } from "@jest/globals";
import { currentVersions } from "./deprecated-types";

const FLOW = "flowcontrol.apiserver.orch.io";
const type = (group: string, version: string, resource: string) => ({ group, version, resource });

test.each<[string, ReturnType<typeof type>[], string[]]>([
  ["1.23", [type(FLOW, "v1beta1", "flowschemas"), type(FLOW, "v1beta2", "flowschemas")], ["v1beta2"]],
  ["1.22", [type(FLOW, "v1beta1", "flowschemas")], ["v1beta1"]],
  ["1.21", [type("policy", "v1beta1", "poddisruptionbudgets"), type("policy", "v1", "poddisruptionbudgets")], ["v1"]],
  ["1.23", [type("policy", "v1beta1", "podsecuritypolicies")], ["v1beta1"]],
  ["1.21", [type("extensions", "v1beta1", "ingresses"), type("networking.orch.io", "v1", "ingresses")], ["v1"]],
  ["1.18", [type("extensions", "v1beta1", "ingresses")], ["v1beta1"]],
  ["1.23", [type("example.com", "v1", "things"), type("example.com", "v2", "things")], ["v1"]],
])("in release %s, of %j version %j is current", (release, resources, versions) => {
  const current = currentVersions(resources, { vocabulary: "orch", release });
  expect(current.map(({ version }) => version)).toEqual(versions);
});
