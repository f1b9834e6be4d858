// Admission policies and the writes of the history of objects: a rollback is an update of the object, and a restore its
// creation.
import { expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import type { ApiClient } from "../testing/api-client";
import { useServer } from "../testing/use-server";

const API = "/apis/admissionregistration.orch.io/v1";
const MAPS = "/api/v1/namespaces/default/configmaps";

let admin: ApiClient;
useServer(
  (running) => {
    ({ admin } = running);
  },
  { flags: { history: ["configmaps=10"] } },
);

async function has(
  path: string,
  body: JsonObject,
): Promise<{ readonly metadata: { readonly resourceVersion: string } }> {
  const { code, text, json } = await admin.post(path, body);
  expect([code, code === 201 ? "" : text]).toEqual([201, ""]);
  return json as never;
}

const rules = (operation: string, resource = "configmaps") => ({
  resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: [operation], resources: [resource] }],
});

/** Puts a policy into force. Returns the function that removes it. */
async function inForce(kind: "validating" | "mutating", name: string, spec: JsonObject): Promise<() => Promise<void>> {
  const policies = `${API}/${kind}admissionpolicies`;
  const bindings = `${API}/${kind}admissionpolicybindings`;
  await has(policies, { metadata: { name }, spec });
  const bound = kind === "validating" ? { policyName: name, validationActions: ["Deny"] } : { policyName: name };
  await has(bindings, { metadata: { name }, spec: bound });
  return async () => {
    await admin.delete(`${bindings}/${name}`);
    await admin.delete(`${policies}/${name}`);
  };
}

/** Creates a config map with a password, and removes the password. Returns the version with it. */
async function redacted(name: string): Promise<string> {
  const { metadata } = await has(MAPS, { metadata: { name }, data: { password: "x" } });
  const { code } = await admin.put(`${MAPS}/${name}`, { metadata: { name }, data: { text: "y" } });
  expect(code).toBe(200);
  return metadata.resourceVersion;
}

test("a policy for updates decides about a rollback, and one for creations about a restore", async () => {
  const revision = await redacted("a");
  const no = { expression: "!('password' in object.data)", message: "no passwords" };
  const free = [
    await inForce("validating", "updated", { matchConstraints: rules("UPDATE"), validations: [no] }),
    await inForce("validating", "created", { matchConstraints: rules("CREATE"), validations: [no] }),
  ];
  const denied = (name: string) => ({
    code: 422,
    json: expect.objectContaining({
      reason: "Invalid",
      message: expect.stringMatching(`'${name}' with binding '${name}' denied request: no passwords$`),
    }),
  });
  expect(await admin.post(`${MAPS}/a/rollback?revision=${revision}`, {})).toMatchObject(denied("updated"));
  expect(await admin.post(`${MAPS}/a/rollback?revision=${revision}&dryRun=All`, {})).toMatchObject(denied("updated"));
  await admin.delete(`${MAPS}/a`);
  expect(await admin.post(`${MAPS}/a/restore?revision=${revision}`, {})).toMatchObject(denied("created"));
  // The last state has no password.
  expect(await admin.post(`${MAPS}/a/restore?dryRun=All`, {})).toMatchObject({ code: 201 });
  expect((await admin.get(`${MAPS}/a`)).code).toBe(404);
  for (const end of free) await end();
  expect(await admin.post(`${MAPS}/a/restore?revision=${revision}`, {})).toMatchObject({
    code: 201,
    json: { data: { password: "x" } },
  });
});

test("a policy sees the update, with the former and the present object, and nothing of the subresource", async () => {
  const revision = await redacted("b");
  const seen = {
    operation: "request.operation == 'UPDATE'",
    subresource: "!has(request.subResource) || request.subResource == ''",
    resource: "request.resource.resource == 'configmaps' && request.name == 'b' && request.namespace == 'default'",
    objects: "'password' in object.data && 'text' in oldObject.data && object.metadata.uid == oldObject.metadata.uid",
    options: "request.options.kind == 'UpdateOptions' && request.options.fieldManager == 'undo'",
    dryRun: "request.dryRun == true",
  };
  const end = await inForce("validating", "sees", {
    matchConstraints: rules("UPDATE"),
    validations: Object.entries(seen).map(([message, expression]) => ({ expression, message })),
  });
  const other = await inForce("validating", "never", {
    matchConstraints: rules("CREATE", "configmaps/rollback"),
    validations: [{ expression: "false", message: "a rollback is no creation of a subresource" }],
  });
  const rehearsed = await admin.post(`${MAPS}/b/rollback?revision=${revision}&fieldManager=undo&dryRun=All`, {});
  expect([rehearsed.code, rehearsed.text]).toEqual([200, expect.stringContaining('"password":"x"')]);
  const { code, text } = await admin.post(`${MAPS}/b/rollback?revision=${revision}&fieldManager=undo`, {});
  expect([code, text]).toEqual([422, expect.stringContaining("denied request: dryRun")]);
  await other();
  await end();
});

test("a policy that changes objects changes what a rollback brings back", async () => {
  const revision = await redacted("c");
  const end = await inForce("mutating", "labels", {
    matchConstraints: rules("UPDATE"),
    reinvocationPolicy: "Never",
    mutations: [
      {
        patchType: "ApplyConfiguration",
        applyConfiguration: { expression: "Object{metadata: Object.metadata{labels: {'reviewed': 'yes'}}}" },
      },
    ],
  });
  const path = `${MAPS}/c/rollback?revision=${revision}`;
  expect(await admin.post(`${path}&dryRun=All`, {})).toMatchObject({
    code: 200,
    json: { data: { password: "x" }, metadata: { labels: { reviewed: "yes" } } },
  });
  expect((await admin.get(`${MAPS}/c`)).json).toMatchObject({ data: { text: "y" } });
  expect(await admin.post(path, {})).toMatchObject({ code: 200, json: { metadata: { labels: { reviewed: "yes" } } } });
  expect((await admin.get(`${MAPS}/c`)).json).toMatchObject({
    data: { password: "x" },
    metadata: { labels: { reviewed: "yes" } },
  });
  await end();
});
