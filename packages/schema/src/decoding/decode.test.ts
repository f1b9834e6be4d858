import { describe, expect, test } from "@jest/globals";
import { DecodeError, encodeJson, type JsonObject, loadSchema, type ObjectType, vocabularyOf } from "../index";

const schema = loadSchema(vocabularyOf("orch"));

function kind(group: string, version: string, name: string): ObjectType {
  const type = schema.objectType(group, version, name);
  if (type === undefined) throw new Error(`no ${name}`);
  return type;
}

const pod = kind("", "v1", "Pod");
const container = (fields: JsonObject): JsonObject => ({ spec: { containers: [{ name: "c", ...fields }] } });
const decodedContainer = (fields: JsonObject) => {
  const { spec } = pod.decode(container(fields)).value;
  return ((spec as JsonObject)["containers"] as JsonObject[])[0];
};

describe("decoding", () => {
  test("drops unknown fields and notes where they were", () => {
    const body = { ...container({ img: "x", ports: [{ port: 1 }] }), statu: {} };
    const { value, problems } = pod.decode(body);
    expect(value).not.toHaveProperty("statu");
    expect(problems).toEqual([
      { kind: "unknownField", path: "statu" },
      { kind: "unknownField", path: "spec.containers[0].img" },
      { kind: "unknownField", path: "spec.containers[0].ports[0].port" },
    ]);
  });

  test("takes null among bytes or lists for an empty one", () => {
    expect(kind("", "v1", "Secret").decode({ data: { a: null, b: "aGk=" } }).value).toMatchObject({
      data: { a: "", b: "aGk=" },
    });
    const review = kind("authorization.orch.io", "v1", "SubjectAccessReview");
    expect(review.decode({ spec: { extra: { a: null } } }).value).toMatchObject({ spec: { extra: { a: [] } } });
  });

  test("notes unknown fields up to a bound", () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`unknown${at}`, 1]));
    expect(pod.decode(many).problems).toHaveLength(100);
  });

  test.each<[string, JsonObject, string]>([
    [
      "a list index",
      container({ env: [{ name: "a" }, { name: 5 }] }),
      "spec.containers[0].env[1].name: expected a string, found number 5",
    ],
    [
      "a map key",
      container({ resources: { limits: { "x.io/y": "lots" } } }),
      'spec.containers[0].resources.limits[x.io/y]: expected a quantity, found string "lots"',
    ],
    [
      "a struct inlined in JSON",
      { spec: { volumes: [{ name: "v", emptyDir: [] }] } },
      "spec.volumes[0].emptyDir: expected an object, found an array",
    ],
    [
      "metadata",
      { metadata: { labels: { "a/b": true } } },
      "metadata.labels[a/b]: expected a string, found boolean true",
    ],
    [
      "an integer out of range",
      container({ ports: [{ containerPort: 4_294_967_296 }] }),
      "spec.containers[0].ports[0].containerPort: expected an integer of 32 bits, found number 4294967296",
    ],
    ["a fraction", { spec: { priority: 1.5 } }, "spec.priority: expected an integer of 32 bits, found number 1.5"],
    [
      "an integer of more than 64 bits",
      { metadata: { generation: 2n ** 63n } },
      "metadata.generation: expected an integer of 64 bits, found number 9223372036854775808",
    ],
  ])("says where and what was wrong: %s", (_place, body, message) => {
    expect(() => pod.decode(structuredClone(body))).toThrow(DecodeError);
    expect(() => pod.decode(body)).toThrow(message);
  });

  test.each<[string, JsonObject, JsonObject]>([
    [
      "quantities",
      { resources: { limits: { cpu: "0.5", memory: "1024Mi" } } },
      { resources: { limits: { cpu: "500m", memory: "1Gi" } } },
    ],
    [
      "quantities given as numbers",
      { resources: { limits: { cpu: 2, memory: 1.5 } } },
      { resources: { limits: { cpu: "2", memory: "1500m" } } },
    ],
    [
      "numbers or text as they are",
      { livenessProbe: { httpGet: { port: 80 } }, readinessProbe: { httpGet: { port: "http" } } },
      { livenessProbe: { httpGet: { port: 80 } }, readinessProbe: { httpGet: { port: "http" } } },
    ],
    ["null as absent", { args: null, image: null, stdin: null, livenessProbe: null }, {}],
    ["null in a list as the zero value", { args: ["a", null] }, { args: ["a", ""] }],
  ])("makes canonical: %s", (_what, given, expected) => {
    expect(decodedContainer(given)).toEqual({ name: "c", resources: {}, ...expected });
  });

  test("writes times in UTC and whole seconds, micro-times with six decimals, and the zero time as none", () => {
    const event = kind("", "v1", "Event");
    const { value } = event.decode({
      metadata: { creationTimestamp: "2024-05-01T12:00:00.9+02:00" },
      firstTimestamp: "0001-01-01T00:00:00Z",
      eventTime: "2024-05-01T10:00:00.000000Z",
    });
    expect(value).toMatchObject({
      metadata: { creationTimestamp: "2024-05-01T10:00:00Z" },
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: "2024-05-01T10:00:00.000000Z",
    });
  });

  test("leaves out empty values where the wire does, and writes those that it always writes", () => {
    const deployment = kind("apps", "v1", "Deployment");
    const { value } = deployment.decode({
      metadata: { name: "d", labels: {}, generation: 0, finalizers: [] },
      spec: { replicas: 0, paused: false, minReadySeconds: 0 },
    });
    expect(value).toEqual({
      metadata: { name: "d" },
      spec: { replicas: 0, selector: null, template: { metadata: {}, spec: { containers: null } }, strategy: {} },
      status: {},
    });
  });

  test("puts fields in one order and sorts map keys, whatever the order they came in", () => {
    const configMap = kind("", "v1", "ConfigMap");
    const one = configMap.decode({
      data: { b: "2", a: "1" },
      metadata: { namespace: "n", name: "m" },
      apiVersion: "v1",
      kind: "ConfigMap",
    });
    const other = configMap.decode({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "m", namespace: "n" },
      data: { a: "1", b: "2" },
    });
    expect(encodeJson(one.value)).toBe(encodeJson(other.value));
    expect(encodeJson(one.value)).toBe(
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m","namespace":"n"},"data":{"a":"1","b":"2"}}',
    );
  });

  test("keeps keys that every object inherits something by", () => {
    const text = '{"__proto__":"x","a":"b","constructor":"y","hasOwnProperty":"z"}';
    const { value, problems } = kind("", "v1", "ConfigMap").decode({ data: JSON.parse(text) as JsonObject });
    expect(JSON.stringify(value["data"])).toBe(text);
    expect(problems).toEqual([]);
  });

  test("sorts and fills in what such keys stand for", () => {
    const limits = JSON.parse('{"cpu":1,"__proto__":"0.5"}') as JsonObject;
    const decoded = decodedContainer({ resources: { limits } });
    expect(JSON.stringify(decoded?.["resources"])).toBe('{"limits":{"__proto__":"500m","cpu":"1"}}');
  });

  test("notes an unknown field that every object inherits, and keeps it where unknown fields are kept", () => {
    const body = JSON.parse('{"spec":{"__proto__":{"a":1},"constructor":1}}') as JsonObject;
    const { value, problems } = pod.decode(structuredClone(body));
    expect(value["spec"]).toEqual({ containers: null });
    expect(problems.map(({ path }) => path)).toEqual(["spec.__proto__", "spec.constructor"]);
    expect(({} as { a?: number }).a).toBeUndefined();
  });

  test("spells out no more of a path than its end", () => {
    const data = { ["k".repeat(10_000)]: 1 };
    expect(() => kind("", "v1", "ConfigMap").decode({ data })).toThrow(
      /^…k{2047}\]: expected a string, found number 1$/,
    );
  });

  test("refuses what would become far more than was given", () => {
    const containers = Array.from({ length: 400_000 }, () => ({}));
    expect(() => pod.decode({ spec: { containers } })).toThrow(
      /^spec\.containers\[\d+\]: expected no more than 1000000 fields in the whole object, found more$/,
    );
    expect(() => pod.decode({ spec: { containers: containers.map(() => null) } })).toThrow("1000000 fields");
  });

  test("takes base64 in lines, and refuses what is none", () => {
    const secret = kind("", "v1", "Secret");
    expect(secret.decode({ data: { a: "aGVs\nbG8=", b: "" } }).value["data"]).toEqual({ a: "aGVsbG8=", b: "" });
    for (const wrong of ["a-b_", "aGVsbG8", "aGVsb===", "aGVs=G8=", "====", "aGVsbG8=aGVs"]) {
      expect(() => secret.decode({ data: { a: wrong } })).toThrow("data[a]: expected bytes in base64");
    }
    expect(secret.decode({ data: { a: "aGVsbG9=" } }).value["data"]).toEqual({ a: "aGVsbG8=" });
  });

  test("reads either form of a schema's parts", () => {
    const definition = kind("apiextensions.orch.io", "v1", "CustomResourceDefinition");
    const schemaOf = (openAPIV3Schema: JsonObject): JsonObject => ({
      spec: { versions: [{ name: "v1", schema: { openAPIV3Schema } }] },
    });
    const parts = {
      properties: { a: { items: { type: "string" }, default: [1, null] }, b: { items: [{ type: "string" }] } },
      additionalProperties: false,
      "x-orch-list-type": "map",
    };
    const { value, problems } = definition.decode(schemaOf(structuredClone(parts)));
    expect(problems).toEqual([]);
    expect(value).toMatchObject(schemaOf(parts));
    expect(() => definition.decode(schemaOf({ additionalProperties: "no" }))).toThrow(
      "additionalProperties: expected an object or a boolean",
    );
  });
});

describe("defaults", () => {
  test("are given to absent fields, in every struct that is there", () => {
    const { value } = pod.decode(container({ ports: [{ containerPort: 80 }, { containerPort: 53, protocol: "UDP" }] }));
    pod.applyDefaults(value);
    expect(value).toMatchObject(container({ ports: [{ protocol: "TCP" }, { protocol: "UDP" }] }));
  });

  test("do not replace an empty value that is told apart from an absent one", () => {
    const controller = kind("", "v1", "ReplicationController");
    const withReplicas = (spec: JsonObject) => {
      const { value } = controller.decode({ spec });
      controller.applyDefaults(value);
      return (value["spec"] as JsonObject)["replicas"];
    };
    expect(withReplicas({})).toBe(1);
    expect(withReplicas({ replicas: 0 })).toBe(0);
  });

  test("leave a defaulted object as decoding it again would", () => {
    const { value } = pod.decode({
      spec: { containers: [{ name: "c", env: [{ name: "e", valueFrom: { secretKeyRef: { key: "k" } } }] }] },
    });
    pod.applyDefaults(value);
    expect(pod.decode(structuredClone(value)).value).toEqual(value);
  });

  test("that are objects are not shared", () => {
    const group = kind("scheduling.orch.io", "v1beta1", "PodGroup");
    const [one, other] = [group.decode({}).value, group.decode({}).value];
    for (const object of [one, other]) group.applyDefaults(object);
    const mode = (object: JsonObject) => (object["spec"] as JsonObject)["disruptionMode"] as JsonObject;
    expect(mode(one)).toEqual({ single: {} });
    expect(mode(one)).not.toBe(mode(other));
  });
});
