// Messages and warnings for unknown and duplicate fields, in the texts and order that clients of Kubernetes search for.
// Source: test/integration/apiserver/field_validation_test.go and test/e2e/apimachinery/field_validation.go.
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { ApiClient } from "../testing/api-client";
import { DEFINITIONS, definition, version, WIDGETS } from "../testing/custom-definitions";
import { useServer } from "../testing/use-server";

const TYPES = {
  json: "application/json",
  yaml: "application/yaml",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  operations: "application/json-patch+json",
  apply: "application/apply-patch+yaml",
} as const;
type Type = keyof typeof TYPES;

const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";

const json = (name: string, spec: string, container: string) =>
  `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"${name}","labels":{"app":"a"}},"spec":{${spec}` +
  '"selector":{"matchLabels":{"app":"a"}},"template":{"metadata":{"labels":{"app":"a"}},"spec":{"containers":[' +
  `{"name":"c","image":"i"${container}}]}}}}`;
const ODD_SPEC = '"strange":1,"twice":1,"twice":2,"paused":true,"paused":false,';
const ODD_CONTAINER = ',"nested":{"x":1,"x":2},"imagePullPolicy":"Always","imagePullPolicy":"Never"';

const yaml = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: NAME
  labels:
    app: a
spec:
  strange: 1
  twice: 1
  twice: 2
  paused: true
  paused: false
  selector:
    matchLabels:
      app: a
  template:
    metadata:
      labels:
        app: a
    spec:
      containers:
      - name: c
        image: i
        nested: 1
        imagePullPolicy: Always
        imagePullPolicy: Never`;

const container = "spec.template.spec.containers[0]";
const unknown = (path: string) => `unknown field "${path}"`;
const repeated = (path: string) => `duplicate field "${path}"`;
const line = (number: number, key: string) => `line ${number}: key "${key}" already set in map`;

const IN_ORDER = [
  unknown("spec.strange"),
  unknown("spec.twice"),
  repeated("spec.paused"),
  unknown(`${container}.nested`),
  repeated(`${container}.imagePullPolicy`),
];
const LINES = [line(10, "twice"), line(12, "paused"), line(26, "imagePullPolicy")];
const SORTED = [unknown("spec.strange"), unknown(`${container}.nested`), unknown("spec.twice")];
const OF_PATCH = [
  repeated("spec.twice"),
  repeated("spec.paused"),
  repeated(`${container}.nested.x`),
  repeated(`${container}.imagePullPolicy`),
];

let admin: ApiClient;
useServer((running) => ({ admin } = running));

const ask = (method: string, path: string, type: Type, body: string) =>
  admin.ask(method, path, { body, headers: { "content-type": TYPES[type] } });
const strict = (list: readonly string[]) => `strict decoding error: ${list.join(", ")}`;
const yamlErrors = (lines: readonly string[]) => `yaml: unmarshal errors:\n  ${lines.join("\n  ")}`;
const warnings = (header: unknown): readonly string[] =>
  [...String(header ?? "").matchAll(/299 - ("(?:\\.|[^"\\])*")/g)].map(([, text]) => JSON.parse(text as string));

beforeAll(async () => {
  expect((await ask("POST", DEPLOYMENTS, "json", json("live", "", ""))).code).toBe(201);
  const spec = {
    type: "object",
    properties: {
      known: { type: "string" },
      ports: { type: "array", items: { type: "object", properties: { port: { type: "integer" } } } },
      free: { type: "object", "x-orch-preserve-unknown-fields": true },
    },
  };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  const versions = [version("v1", { storage: true, schema })];
  expect((await admin.post(DEFINITIONS, definition({ versions }))).code).toBe(201);
  while ((await admin.get(WIDGETS)).code !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
  await ask("POST", WIDGETS, "json", widget("live", ""));
});

const widget = (name: string, spec: string, metadata = "") =>
  `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"${name}"${metadata}},"spec":{${spec}}}`;
const ODD_WIDGET =
  '"strange":1,"twice":1,"twice":2,"known":"a","known":"b","ports":[{"port":1,"port":2,"nested":1}],"free":{"a":1,"a":2}';
const WIDGET_DUPLICATES = [
  repeated("spec.twice"),
  repeated("spec.known"),
  repeated("spec.ports[0].port"),
  repeated("spec.free.a"),
];
const WIDGET_UNKNOWN = [
  unknown("metadata.nothing"),
  unknown("spec.ports[0].nested"),
  unknown("spec.strange"),
  unknown("spec.twice"),
];

const patchOf = (spec: string, inside: string) =>
  `{"spec":{${spec}"template":{"spec":{"containers":[{"name":"c","image":"i"${inside}}]}}}}`;
const OPERATIONS = JSON.stringify([
  { op: "add", path: "/spec/strange", value: 1, foo: 1 },
  { op: "add", path: "/spec/twice", value: 2 },
]).replace('"/spec/twice"', '"/spec/first","path":"/spec/twice"');

interface Row {
  readonly title: string;
  readonly method: "POST" | "PUT" | "PATCH";
  readonly path: string;
  readonly type: Type;
  readonly body: string;
  readonly code: number;
  /** Part of the message for a strict client. */
  readonly message: string;
  readonly warnings: readonly string[];
}

const PUT_BODY = json("live", ODD_SPEC, ODD_CONTAINER);
const live = `${DEPLOYMENTS}/live`;
const ROWS: readonly Row[] = [
  {
    title: "a created object in JSON: the order of the document",
    method: "POST",
    path: DEPLOYMENTS,
    type: "json",
    body: json("created", ODD_SPEC, ODD_CONTAINER),
    code: 400,
    message: `Deployment in version "v1" cannot be handled as a Deployment: ${strict(IN_ORDER)}`,
    warnings: IN_ORDER,
  },
  {
    title: "an updated object in JSON",
    method: "PUT",
    path: live,
    type: "json",
    body: PUT_BODY,
    code: 400,
    message: strict(IN_ORDER),
    warnings: IN_ORDER,
  },
  {
    title: "metadata, and keys of maps",
    method: "POST",
    path: DEPLOYMENTS,
    type: "json",
    body: json("meta", "", "").replace('"labels":{"app":"a"}', '"unknownMeta":1,"labels":{"x.y/z":"1","x.y/z":"2"}'),
    code: 400,
    message: strict([unknown("metadata.unknownMeta"), repeated("metadata.labels.x.y/z")]),
    warnings: [unknown("metadata.unknownMeta"), repeated("metadata.labels.x.y/z")],
  },
  {
    title: "a created object in YAML: lines, then the order of sorted keys",
    method: "POST",
    path: DEPLOYMENTS,
    type: "yaml",
    body: yaml.replace("NAME", "created-yaml"),
    code: 400,
    message: strict([yamlErrors(LINES), ...SORTED]),
    warnings: [...LINES, ...SORTED],
  },
  {
    title: "a merge patch",
    method: "PATCH",
    path: live,
    type: "merge",
    body: patchOf(ODD_SPEC, ODD_CONTAINER),
    code: 422,
    message: strict([...OF_PATCH, ...SORTED]),
    warnings: [...OF_PATCH, ...SORTED],
  },
  {
    title: "a strategic merge patch: unknown fields in the order of their paths",
    method: "PATCH",
    path: live,
    type: "strategic",
    body: patchOf(ODD_SPEC, ODD_CONTAINER),
    code: 422,
    message: strict([...OF_PATCH, ...SORTED]),
    warnings: [...OF_PATCH, ...SORTED],
  },
  {
    title: "a merge patch with duplicate fields alone",
    method: "PATCH",
    path: live,
    type: "merge",
    body: patchOf('"paused":true,"paused":false,', ""),
    code: 422,
    message: strict([repeated("spec.paused")]),
    warnings: [repeated("spec.paused")],
  },
  {
    title: "a JSON patch: fields of operations, then those of the object",
    method: "PATCH",
    path: live,
    type: "operations",
    body: OPERATIONS,
    code: 422,
    message: strict([
      `json patch ${unknown("[0].foo")}`,
      `json patch ${repeated("[1].path")}`,
      unknown("spec.strange"),
      unknown("spec.twice"),
    ]),
    warnings: [
      `json patch ${unknown("[0].foo")}`,
      `json patch ${repeated("[1].path")}`,
      unknown("spec.strange"),
      unknown("spec.twice"),
    ],
  },
  {
    title: "an applied configuration in YAML",
    method: "PATCH",
    path: `${live}?fieldManager=m&force=true`,
    type: "apply",
    body: yaml.replace("NAME", "live").replaceAll(/\n +(strange|twice|nested): \d/g, ""),
    code: 400,
    message: `error strict decoding patch: error converting YAML to JSON: ${yamlErrors([line(9, "paused"), line(22, "imagePullPolicy")])}`,
    warnings: [line(9, "paused"), line(22, "imagePullPolicy")],
  },
  {
    title: "an applied configuration in JSON",
    method: "PATCH",
    path: `${live}?fieldManager=m&force=true`,
    type: "apply",
    body: json("live", '\n"paused":true,\n"paused":false,', ""),
    code: 400,
    message: yamlErrors([line(3, "paused")]),
    warnings: [line(3, "paused")],
  },
  {
    title: "a custom object in JSON: duplicate fields, then unknown ones by path",
    method: "POST",
    path: WIDGETS,
    type: "json",
    body: widget("created", ODD_WIDGET, ',"nothing":1'),
    code: 400,
    message: `Widget in version "v1" cannot be handled as a Widget: ${strict([...WIDGET_DUPLICATES, ...WIDGET_UNKNOWN])}`,
    warnings: [...WIDGET_DUPLICATES, ...WIDGET_UNKNOWN],
  },
  {
    title: "a custom object in YAML",
    method: "POST",
    path: WIDGETS,
    type: "yaml",
    body: "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: in-yaml\nspec:\n  known: a\n  known: b\n  odd: 1\n",
    code: 400,
    message: strict([yamlErrors([line(7, "known")]), unknown("spec.odd")]),
    warnings: [line(7, "known"), unknown("spec.odd")],
  },
  {
    title: "a merge patch of a custom object",
    method: "PATCH",
    path: `${WIDGETS}/live`,
    type: "merge",
    body: `{"metadata":{"nothing":1},"spec":{${ODD_WIDGET}}}`,
    code: 422,
    message: strict([...WIDGET_DUPLICATES, ...WIDGET_UNKNOWN]),
    warnings: [...WIDGET_DUPLICATES, ...WIDGET_UNKNOWN],
  },
];

const withQuery = (path: string, query: string) => `${path}${path.includes("?") ? "&" : "?"}${query}`;

describe.each(ROWS.map((row) => [row.title, row] as const))("%s", (_title, row) => {
  const { method, path, type, body } = row;

  test("strict clients receive one error with all problems", async () => {
    const answer = await ask(method, withQuery(path, "fieldValidation=Strict"), type, body);
    expect([answer.code, warnings(answer.headers["warning"])]).toEqual([row.code, []]);
    expect(answer.json.message.slice(-row.message.length)).toBe(row.message);
  });

  test.each(["", "&fieldValidation=Warn"])("other clients receive a warning for each problem: %s", async (option) => {
    const answer = await ask(method, withQuery(path, `dryRun=All${option}`), type, body);
    expect([answer.code < 300, answer.json.message]).toEqual([true, undefined]);
    expect(warnings(answer.headers["warning"])).toEqual(row.warnings);
  });

  test("nothing is reported to a client that ignores them", async () => {
    const answer = await ask(method, withQuery(path, "dryRun=All&fieldValidation=Ignore"), type, body);
    expect([answer.code < 300, warnings(answer.headers["warning"])]).toEqual([true, []]);
  });
});

test("an unknown field of an apply configuration is not declared in the schema", async () => {
  const built = await ask("PATCH", `${live}?fieldManager=m`, "apply", json("live", '"foo":1,', ""));
  expect(built.json.message).toContain(".spec.foo: field not declared in schema");
  const custom = await ask("PATCH", `${WIDGETS}/live?fieldManager=m`, "apply", widget("live", '"odd":1', ',"more":1'));
  expect(custom.json.message).toMatch(/\.(spec\.odd|metadata\.more): field not declared in schema/);
});
