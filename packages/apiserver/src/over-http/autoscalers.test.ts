// Autoscalers in every version that a release serves: writing back what was read changes nothing, whatever the storage
// version.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const scaleTargetRef = { kind: "Deployment", name: "web", apiVersion: "apps/v1" };
const BEHAVIORS = {
  "with one of two directions": { scaleDown: { stabilizationWindowSeconds: 5 } },
  "with a policy": { scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] } },
  "with an empty behavior": {},
};

describe.each<[string, readonly string[]]>([
  ["1.20", ["v2beta2"]],
  ["1.23", ["v2", "v2beta2"]],
  ["1.26", ["v2"]],
])("in release %s", (release, versions) => {
  let server: RunningServer;
  let admin: ApiClient;
  beforeAll(async () => {
    server = await startServer({ flags: { "emulated-release": release } });
    admin = new ApiClient(server, server.admin);
  });
  afterAll(async () => {
    admin.close();
    await server.stop();
  });

  test.each(Object.entries(BEHAVIORS))("one %s is put back as it was read", async (what, behavior) => {
    for (const version of versions) {
      const path = `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
      const name = `${version}-${what.replaceAll(" ", "-")}`;
      const created = await admin.post(path, {
        metadata: { name },
        spec: { scaleTargetRef, maxReplicas: 3, behavior },
      });
      expect(created.code).toBe(201);
      for (const through of [version, "v1", version]) {
        const one = `/apis/autoscaling/${through}/namespaces/default/horizontalpodautoscalers/${name}`;
        const read = await admin.get(one);
        const put = await admin.put(one, read.json);
        expect([through, put.code, put.json]).toEqual([through, 200, read.json]);
      }
    }
  });
});
