// Integers of 64 bits, of which a double holds 53: they keep all digits on every path. Larger numbers are doubles.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { loadSchema, readEnvelope, vocabularyOf, writeJson } from "@orch/schema";
import type { Answer, ApiClient } from "../testing/api-client";
import { DEFINITIONS, definition, version, WIDGETS, widget } from "../testing/custom-definitions";
import { useServer } from "../testing/use-server";

const REVISIONS = "/apis/apps/v1/namespaces/default/controllerrevisions";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const JSON_PATCH = "application/json-patch+json";
const MERGE = "application/merge-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";
const APPLY = "application/apply-patch+yaml";

const { mediaTypes } = vocabularyOf("orch");
const type = loadSchema(vocabularyOf("orch")).objectType("apps", "v1", "ControllerRevision");

let admin: ApiClient;

useServer((running) => ({ admin } = running));

const revision = (name: string, digits: string): string =>
  `{"metadata":{"name":"${name}"},"revision":${digits},"data":{"list":[${digits}],"deep":{"x":-${digits}}}}`;

const send = (method: string, path: string, body: string, contentType = "application/json") =>
  admin.ask(method, path, { body, headers: { "content-type": contentType } });

const has = ({ code, text }: Answer, ...parts: string[]) =>
  expect([code, parts.filter((part) => !text.includes(part))]).toEqual([code < 300 ? code : 200, []]);

describe.each(["9007199254740993", "9223372036854775807", "1000000000000000001"])("%s", (digits) => {
  const one = `${REVISIONS}/r${digits}`;
  const parts = [`"revision":${digits}`, `"list":[${digits}]`, `"x":-${digits}`];
  beforeAll(async () => has(await send("POST", REVISIONS, revision(`r${digits}`, digits)), ...parts));

  test("is read as it was written, alone and in lists", async () => {
    has(await admin.get(one), ...parts);
    has(await admin.get(`${REVISIONS}?limit=500`), ...parts);
    has(await admin.get(`${one}?pretty=true`), `"revision": ${digits}`, `"x": -${digits}`);
    has(await admin.get(`${REVISIONS}?pretty=true`), `"revision": ${digits}`, `"x": -${digits}`);
  });

  test("is read as YAML, in tables and as protobuf", async () => {
    const accept = (value: string) => ({ headers: { accept: value } });
    for (const path of [one, REVISIONS]) {
      has(await admin.get(path, accept("application/yaml")), `revision: ${digits}`, `x: -${digits}`);
      const table = await admin.get(
        `${path}?includeObject=Object`,
        accept("application/json;as=Table;g=meta.orch.io;v=v1"),
      );
      has(table, ...parts, `"cells":["r${digits}"`, `,${digits},`);
      const pretty = `${path}?includeObject=Object&pretty=true`;
      has(await admin.get(pretty, accept("application/json;as=Table;g=meta.orch.io;v=v1")), `"revision": ${digits}`);
    }
    const { bytes } = await admin.get(one, accept(mediaTypes.protobuf));
    const decoded = type?.decode(type.protobuf?.decode(readEnvelope(bytes)) ?? {}).value ?? {};
    expect(writeJson(decoded)).toContain(parts[0]);
    const back = await admin.ask("PUT", one, { body: bytes, headers: { "content-type": mediaTypes.protobuf } });
    has(back, ...parts);
    expect((await admin.get(one)).bytes.equals(back.bytes)).toBe(true);
  });

  test("is put back as it was read", async () => {
    const read = await admin.get(one);
    const put = await send("PUT", one, read.text);
    expect([put.code, put.text]).toEqual([200, read.text]);
  });

  test("comes with patches of every kind", async () => {
    const name = `p${digits}`;
    const path = `${DEPLOYMENTS}/${name}`;
    const template = `{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}`;
    const metadata = `"metadata":{"name":"${name}"}`;
    const body = `{${metadata},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":${template}}}`;
    expect((await send("POST", DEPLOYMENTS, body)).code).toBe(201);
    const grace = `{"spec":{"template":{"spec":{"terminationGracePeriodSeconds":${digits}}}}}`;
    const at = "/spec/template/spec/terminationGracePeriodSeconds";
    const set = (seconds: string) => `[{"op":"add","path":"${at}","value":${seconds}}]`;
    const applied = `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ${name}}\nspec: {template: {spec: {terminationGracePeriodSeconds: ${digits}}}}`;
    const expected = `"terminationGracePeriodSeconds":${digits}`;
    for (const [kind, patch] of [
      [JSON_PATCH, set(digits)],
      [MERGE, grace],
      [STRATEGIC, grace],
      [APPLY, applied],
    ] as const) {
      expect((await send("PATCH", path, set("1"), JSON_PATCH)).code).toBe(200);
      has(
        await send("PATCH", `${path}?fieldManager=m&force=${kind === APPLY}`.replace("&force=false", ""), patch, kind),
        expected,
      );
      has(await admin.get(path), expected);
    }
    const test = `[{"op":"test","path":"${at}","value":${digits}},{"op":"copy","from":"${at}","path":"/spec/progressDeadlineSeconds"}]`;
    expect((await send("PATCH", path, test, JSON_PATCH)).code).toBe(400);
    const near = String(BigInt(digits) - 1n);
    expect((await send("PATCH", path, `[{"op":"test","path":"${at}","value":${near}}]`, JSON_PATCH)).code).toBe(422);
  });

  test("is applied in JSON and YAML, also as data of no type", async () => {
    for (const [name, body] of [
      [
        `j${digits}`,
        revision(`j${digits}`, digits).replace("{", `{"apiVersion":"apps/v1","kind":"ControllerRevision",`),
      ],
      [
        `y${digits}`,
        `apiVersion: apps/v1\nkind: ControllerRevision\nmetadata:\n  name: y${digits}\nrevision: ${digits}\ndata:\n  list: [0x${BigInt(digits).toString(16)}]\n  deep:\n    x: -${digits}\n`,
      ],
    ] as const) {
      has(await send("PATCH", `${REVISIONS}/${name}?fieldManager=m`, body, APPLY), ...parts);
      has(await send("PATCH", `${REVISIONS}/${name}?fieldManager=m`, body, APPLY), ...parts);
    }
  });
});

describe("a value that is not a 64-bit integer is rejected with its field", () => {
  test.each([
    ["9223372036854775808", "revision"],
    ["1e400", ""],
    ["123456789012345678901234567890", "revision"],
  ])("%s", async (digits, field) => {
    const answer = await send("POST", REVISIONS, revision("odd", digits).replace(/"data".*/, '"data":{}}'));
    expect([answer.code, answer.json.reason, answer.json.message]).toEqual([
      400,
      "BadRequest",
      expect.stringContaining(field),
    ]);
    const yaml = `apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {name: odd}\nrevision: ${digits}`;
    expect((await send("POST", REVISIONS, yaml, "application/yaml")).code).toBe(400);
    const applied = await send("PATCH", `${REVISIONS}/odd?fieldManager=m`, yaml, APPLY);
    expect([applied.code, applied.json.message]).toEqual([expect.any(Number), expect.stringContaining("revision")]);
    expect((await admin.get(`${REVISIONS}/odd`)).code).toBe(404);
  });

  test.each(["9223372036854775808", "1e400", "18446744073709551616"])("%s in a patch", async (digits) => {
    expect((await send("POST", REVISIONS, revision(`patched-${digits.length}`, "5"))).code).toBe(201);
    const path = `${REVISIONS}/patched-${digits.length}`;
    for (const [kind, body] of [
      [JSON_PATCH, `[{"op":"replace","path":"/revision","value":${digits}}]`],
      [MERGE, `{"revision":${digits}}`],
      [STRATEGIC, `{"revision":${digits}}`],
    ] as const) {
      const { code, json } = await send("PATCH", path, body, kind);
      expect([kind, code, json.reason]).toEqual([kind, 400, "BadRequest"]);
    }
    has(await admin.get(path), '"revision":5');
  });

  test("infinity in YAML", async () => {
    const yaml =
      "apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {name: odd}\nrevision: 1\ndata: {list: .inf}";
    expect((await send("POST", REVISIONS, yaml, "application/yaml")).code).toBe(400);
  });
});

describe("beyond 64 bits, in custom objects", () => {
  beforeAll(async () => {
    const preserved = {
      type: "object",
      "x-orch-preserve-unknown-fields": true,
      properties: { integer: { type: "integer" }, number: { type: "number" } },
    };
    const openAPIV3Schema = { type: "object", properties: { spec: preserved } };
    const versions = [version("v1", { storage: true, schema: { openAPIV3Schema } })];
    await admin.post(DEFINITIONS, definition({ versions }));
    while ((await admin.get(WIDGETS)).code !== 200) await new Promise((resolve) => setTimeout(resolve, 10));
    await admin.post(WIDGETS, widget("patched", { spec: {} }));
  });

  test.each([
    ["9223372036854775807", "9223372036854775807"],
    ["9223372036854775808", "9223372036854776000"],
    ["-9223372036854775809", "-9223372036854776000"],
    ["18446744073709551616", "18446744073709552000"],
    ["123456789012345678901234567890", "1.2345678901234568e+29"],
  ])("%s is %s, in JSON, in YAML and in patches of every kind", async (digits, kept) => {
    const made = (spec: string) => JSON.stringify(widget("made")).replace(/}$/, `,"spec":{${spec}}}`);
    const path = `${WIDGETS}/patched`;
    const applied = (name: string, spec: string) =>
      `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: ${name}}\nspec: {${spec}}`;
    has(
      await send("POST", `${WIDGETS}?dryRun=All`, made(`"number":${digits},"a":[${digits}]`)),
      `:${kept}`,
      `[${kept}]`,
    );
    const yaml = applied("made", `number: ${digits}, a: [${digits}]`);
    has(await send("POST", `${WIDGETS}?dryRun=All`, yaml, "application/yaml"), `:${kept}`, `[${kept}]`);
    for (const [kind, patch] of [
      [JSON_PATCH, `[{"op":"add","path":"/spec/json","value":[${digits}]}]`],
      [MERGE, `{"spec":{"merged":[${digits}]}}`],
      [APPLY, applied("patched", `applied: [${digits}]`)],
    ] as const) {
      const query = kind === APPLY ? "?fieldManager=m&force=true" : "";
      has(await send("PATCH", path + query, patch, kind), `[${kept}]`);
    }
    const read = await admin.get(path);
    expect(read.text.split(`[${kept}]`)).toHaveLength(4);
    expect((await send("PUT", path, read.text)).text).toBe(read.text);
    const typed = await send("POST", `${WIDGETS}?dryRun=All`, made(`"integer":${digits}`));
    expect(typed.code).toBe(digits === kept ? 201 : 422);
  });
});

test("where a text is due it is refused as any number is", async () => {
  const body = `{"apiVersion":9007199254740993,"kind":9007199254740993,"metadata":{"name":9007199254740993}}`;
  expect((await send("POST", REVISIONS, body)).code).toBe(400);
  has(await send("POST", REVISIONS, revision("text", "1")));
  for (const kind of [MERGE, STRATEGIC]) expect((await send("PATCH", `${REVISIONS}/text`, body, kind)).code).toBe(422);
  expect((await send("PATCH", `${REVISIONS}/text?fieldManager=m`, body, APPLY)).code).toBe(400);
  expect((await admin.ask("DELETE", `${REVISIONS}/text`, { body })).code).toBe(400);
});

test("an object with a generation of 64 bits lives and ends like others", async () => {
  const path = "/api/v1/namespaces/default/configmaps";
  const generation = "9223372036854775807";
  const created = await send("POST", path, `{"metadata":{"name":"g","finalizers":["a/b"],"generation":${generation}}}`);
  has(created, `"generation":${generation}`);
  const deleted = await admin.ask("DELETE", `${path}/g`);
  expect(deleted.code).toBe(200);
  const { code } = await send("PATCH", `${path}/g`, '{"metadata":{"finalizers":null}}', MERGE);
  expect(code).toBe(200);
});

test("a pod that would take for ever to end is told to end one day", async () => {
  const path = "/api/v1/namespaces/default/pods";
  const spec = `{"nodeName":"n","terminationGracePeriodSeconds":9223372036854775807,"containers":[{"name":"c","image":"i"}]}`;
  has(
    await send("POST", path, `{"metadata":{"name":"slow"},"spec":${spec}}`),
    '"terminationGracePeriodSeconds":9223372036854775807',
  );
  const { code, json } = await admin.ask("DELETE", `${path}/slow`);
  expect([code, json.metadata]).toMatchObject([200, { deletionTimestamp: expect.stringMatching(/^20\d\d-/) }]);
  expect((await admin.ask("DELETE", `${path}/slow?gracePeriodSeconds=0`)).code).toBe(200);
});

describe("in JSON of built-in kinds an integer is written without fraction and exponent", () => {
  const leases = "/apis/coordination.orch.io/v1/namespaces/default/leases";
  const refused = (answer: Answer, code: number, field: string) =>
    expect([answer.code, answer.json.message]).toEqual([
      code,
      expect.stringContaining(`${field}: expected an integer`),
    ]);

  test.each(["80.0", "8e1", "8.0E+1", "800e-1", "-0.0"])(
    "%s is refused in objects, merge patches and JSON patches",
    async (value) => {
      const seconds = `{"leaseDurationSeconds":${value}}`;
      const name = `f${value.toLowerCase().replace(/[^a-z0-9]/g, "x")}`;
      refused(
        await send("POST", leases, `{"metadata":{"name":"${name}"},"spec":${seconds}}`),
        400,
        "spec.leaseDurationSeconds",
      );
      const metadata = `{"name":"${name}","deletionGracePeriodSeconds":${value}}`;
      refused(await send("POST", leases, `{"metadata":${metadata}}`), 400, "metadata.deletionGracePeriodSeconds");
      expect((await send("POST", leases, `{"metadata":{"name":"${name}"}}`)).code).toBe(201);
      refused(await send("PATCH", `${leases}/${name}`, `{"spec":${seconds}}`, MERGE), 422, "spec.leaseDurationSeconds");
      const operation = `[{"op":"add","path":"/spec/leaseDurationSeconds","value":${value}}]`;
      refused(await send("PATCH", `${leases}/${name}`, operation, JSON_PATCH), 422, "spec.leaseDurationSeconds");
      refused(await send("DELETE", `${leases}/${name}`, `{"gracePeriodSeconds":${value}}`), 400, "gracePeriodSeconds");
    },
  );

  test("strategic merge patches, applies and YAML take it for the integer that it is", async () => {
    const lease = (value: string) =>
      `{"apiVersion":"coordination.orch.io/v1","kind":"Lease","metadata":{"name":"taken"},"spec":{"leaseDurationSeconds":${value}}}`;
    const one = `${leases}/taken`;
    has(await send("POST", leases, lease("80.0"), "application/yaml"), `"leaseDurationSeconds":80`);
    has(await send("PATCH", one, `{"spec":{"leaseDurationSeconds":9.0}}`, STRATEGIC), `"leaseDurationSeconds":9`);
    has(await send("PATCH", `${one}?fieldManager=m&force=true`, lease("1e1"), APPLY), `"leaseDurationSeconds":10`);
  });

  test("quantities, ports and data of no type", async () => {
    const data = `{"n":1.0,"list":[2e0,{"deep":3.50}],"text":"4.0, 5e1]"}`;
    const made = await send("POST", REVISIONS, `{"metadata":{"name":"free"},"revision":1,"data":${data}}`);
    has(made, `"data":{"n":1,"list":[2,{"deep":3.5}],"text":"4.0, 5e1]"}`);
    has(await send("PATCH", `${REVISIONS}/free`, `[{"op":"test","path":"/revision","value":1}]`, JSON_PATCH));
    const quota = `{"metadata":{"name":"free"},"spec":{"hard":{"cpu":1.0,"memory":1e3}}}`;
    has(await send("POST", "/api/v1/namespaces/default/resourcequotas", quota), `"hard":{"cpu":"1","memory":"1k"}`);
    const service = `{"metadata":{"name":"free"},"spec":{"ports":[{"port":80,"targetPort":80.0}]}}`;
    refused(await send("POST", "/api/v1/namespaces/default/services", service), 400, "spec.ports[0].targetPort");
  });
});

test("a text that is empty is no time", async () => {
  const leases = "/apis/coordination.orch.io/v1/namespaces/default/leases";
  const refused = (answer: Answer, code: number, field: string) =>
    expect([answer.code, answer.json.message]).toEqual([code, expect.stringContaining(`${field}: expected a time`)]);
  const metadata = `{"name":"timed","creationTimestamp":""}`;
  refused(await send("POST", leases, `{"metadata":${metadata}}`), 400, "metadata.creationTimestamp");
  refused(await send("POST", leases, `{"spec":{"renewTime":""}}`, "application/yaml"), 400, "spec.renewTime");
  has(await send("POST", leases, `{"metadata":{"name":"timed","creationTimestamp":null},"spec":{"renewTime":null}}`));
  for (const kind of [MERGE, STRATEGIC])
    refused(await send("PATCH", `${leases}/timed`, `{"spec":{"renewTime":""}}`, kind), 422, "spec.renewTime");
  const operation = `[{"op":"add","path":"/spec/acquireTime","value":""}]`;
  refused(await send("PATCH", `${leases}/timed`, operation, JSON_PATCH), 422, "spec.acquireTime");
  const applied = `{"apiVersion":"coordination.orch.io/v1","kind":"Lease","metadata":{"name":"timed"},"spec":{"renewTime":""}}`;
  refused(await send("PATCH", `${leases}/timed?fieldManager=m`, applied, APPLY), 422, "spec.renewTime");
});
