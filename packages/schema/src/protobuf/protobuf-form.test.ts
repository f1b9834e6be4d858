import { describe, expect, test } from "@jest/globals";
import {
  type JsonObject,
  type JsonValue,
  loadSchema,
  type ObjectType,
  ProtobufError,
  type ProtobufForm,
  readEnvelope,
  vocabularyOf,
  watchFrameFront,
  writeJson,
} from "../index";

const vocabulary = vocabularyOf("orch");
const schema = loadSchema(vocabulary);

function typeOf(apiVersion: string, kind: string): ObjectType & { protobuf: ProtobufForm } {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const type = schema.objectType(group, version, kind);
  if (type?.protobuf === undefined) throw new Error(`${apiVersion} ${kind} has no protobuf form`);
  return type as ObjectType & { protobuf: ProtobufForm };
}

const CRD_VERSION = `${vocabulary.groups.apiextensions}/v1`;

function encode(object: JsonObject): Buffer {
  return typeOf(String(object["apiVersion"]), String(object["kind"])).protobuf.encode(object);
}

/** Decodes bytes to the canonical object. */
function decode(bytes: Buffer): JsonObject {
  const envelope = readEnvelope(bytes);
  const type = typeOf(envelope.apiVersion, envelope.kind);
  return type.decode(type.protobuf.decode(envelope)).value;
}

function throughProtobuf(object: JsonObject): JsonObject {
  const type = typeOf(String(object["apiVersion"]), String(object["kind"]));
  return decode(encode(type.decode(structuredClone(object)).value));
}

/** Returns an envelope around a message in hexadecimal. */
function enveloped(apiVersion: string, kind: string, hex: string): Buffer {
  const typeMeta = Buffer.concat([field(1, Buffer.from(apiVersion)), field(2, Buffer.from(kind))]);
  return Buffer.concat([
    Buffer.from("6b387300", "hex"),
    field(1, typeMeta),
    field(2, Buffer.from(hex.replaceAll(" ", ""), "hex")),
  ]);
}

function field(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}

test("every byte of a small object is as expected", () => {
  const object = {
    kind: "Lease",
    apiVersion: "coordination.orch.io/v1",
    metadata: { name: "a" },
    spec: { leaseTransitions: -1 },
  };
  const text = (value: string) => Buffer.from(value).toString("hex");
  const strings = "1200 1a00 2200 2a00 3200"; // generateName, namespace, selfLink, uid, resourceVersion
  const message = `0a13 0a0161${strings} 3800 4200 7a00 120b 28ffffffffffffffffff01`;
  expect(encode(object).toString("hex")).toBe(
    `6b387300 0a20 0a17${text("coordination.orch.io/v1")} 1205${text("Lease")} 1222 ${message} 1a00 2200`.replaceAll(
      " ",
      "",
    ),
  );
});

describe("values come back as they went", () => {
  test.each<[string, JsonObject]>([
    ["a map with its keys sorted", { kind: "ConfigMap", data: { b: "2", a: "1", "\u00e9": "\u{1f600}" } }],
    ["empty and missing bytes", { kind: "Secret", data: { empty: "", full: "AAH/" } }],
    ["a long text of other characters", { kind: "ConfigMap", data: { text: "na\u00efve \u{1f680} ".repeat(20_000) } }],
    ["a port that is a number", service(8080)],
    ["a port that is negative", service(-1)],
    ["a port that is a name", service("https")],
    ["a pointer to an empty value", { kind: "Pod", spec: { containers: null, terminationGracePeriodSeconds: 0 } }],
  ])("%s", (_behaviour, given) => {
    const object: JsonObject = {
      apiVersion: "v1",
      metadata: { name: "a", creationTimestamp: "2024-02-29T23:59:59Z" },
      ...given,
    };
    const { value } = typeOf("v1", String(object["kind"])).decode(structuredClone(object));
    expect(writeJson(throughProtobuf(object))).toBe(writeJson(value));
  });

  function service(targetPort: JsonValue): JsonObject {
    return { kind: "Service", spec: { ports: [{ port: 1, targetPort }] } };
  }

  test.each<[string, JsonValue]>([
    ["object", { type: "string" }],
    ["true", true],
    ["false", false],
  ])("additional properties of a schema: %s", (_name, additionalProperties) => {
    expect(schemaThroughProtobuf({ additionalProperties })).toEqual({ additionalProperties });
  });

  test.each<[string, JsonObject]>([
    ["items as a schema", { items: { type: "string" } }],
    ["items as a list", { items: [{ type: "string" }, { type: "integer" }] }],
    ["a dependency on properties", { dependencies: { a: ["b", "c"], d: { type: "string" } } }],
    ["a default and other free values", { default: { a: [1, null] }, enum: [1, "two", false], example: "x" }],
    ["numbers with fractions", { maximum: 0.1, minimum: -1e300, multipleOf: 3 }],
  ])("%s", (_name, value) => {
    expect(schemaThroughProtobuf(value)).toEqual(value);
  });

  function schemaThroughProtobuf(openAPIV3Schema: JsonObject): JsonValue | undefined {
    const versions = [{ name: "v1", schema: { openAPIV3Schema } }];
    const object = throughProtobuf({ apiVersion: CRD_VERSION, kind: "CustomResourceDefinition", spec: { versions } });
    const spec = object["spec"] as { versions: { schema: { openAPIV3Schema: JsonValue } }[] };
    return spec.versions[0]?.schema.openAPIV3Schema;
  }

  test("times before 1970, with microseconds and at zero", () => {
    const spec = { acquireTime: "1969-12-31T23:59:59.000001Z", renewTime: "0001-01-01T00:00:00.000001Z" };
    const lease = { apiVersion: "coordination.orch.io/v1", kind: "Lease", metadata: { creationTimestamp: null }, spec };
    expect(throughProtobuf(lease)).toMatchObject({ spec });
  });
});

describe("input of other protobuf writers is accepted", () => {
  test("unknown fields of every wire type are passed over", () => {
    const unknown = "f8 3f 01 f9 3f 0102030405060708 fa 3f 01 00 fb 3f 08 01 fc 3f fd 3f 01020304";
    expect(decode(enveloped("v1", "ConfigMap", `${unknown} 12 06 0a 01 61 12 01 62`))).toMatchObject({
      data: { a: "b" },
    });
  });

  test("numbers of a list that come packed", () => {
    const fields = schema.wireFields("core/v1", "PodSecurityContext") ?? [];
    const groups = fields.find(({ name }) => name === "supplementalGroups")?.number ?? 0;
    const context = (schema.wireFields("core/v1", "PodSpec") ?? []).find(
      ({ name }) => name === "securityContext",
    )?.number;
    const packed = field(context ?? 0, field(groups, Buffer.from([1, 2, 0x80, 1])));
    expect(decode(enveloped("v1", "Pod", field(2, packed).toString("hex")))).toMatchObject({
      spec: { securityContext: { supplementalGroups: [1, 2, 128] } },
    });
  });

  test("a message that comes in two parts is one", () => {
    const parts = "0a 03 0a 01 61 0a 03 1a 01 62";
    expect(decode(enveloped("v1", "ConfigMap", parts))).toMatchObject({ metadata: { name: "a", namespace: "b" } });
  });

  test("an entry without key or value has the empty one", () => {
    expect(decode(enveloped("v1", "ConfigMap", "12 00"))).toMatchObject({ data: { "": "" } });
  });

  test("an object in an envelope stands for its JSON", () => {
    const inner = enveloped("v1", "ConfigMap", "12 06 0a 01 61 12 01 62").toString("hex");
    const length = (inner.length / 2).toString(16).padStart(2, "0");
    const outer = (inner.length / 2 + 2).toString(16).padStart(2, "0");
    expect(decode(enveloped("apps/v1", "ControllerRevision", `12 ${outer} 0a ${length} ${inner}`))).toMatchObject({
      data: { kind: "ConfigMap", apiVersion: "v1", data: { a: "b" } },
    });
  });
});

describe("bad bytes are an error that says where", () => {
  test.each<[string, Buffer, string]>([
    ["another prefix", Buffer.from('{"kind":"Pod"}'), "does not begin with the prefix 6b 38 73 00"],
    ["no bytes at all", Buffer.alloc(0), "does not begin with the prefix 6b 38 73 00"],
    [
      "a field that ends too early",
      enveloped("v1", "Pod", "0a 03 0a 04 61"),
      "metadata.name: the data ends within a field",
    ],
    [
      "a list's element that ends too early",
      enveloped("v1", "Pod", "12 06 12 00 12 02 0a 05"),
      "spec.containers[1].name: the data",
    ],
    ["a map's entry", enveloped("v1", "Secret", "12 05 0a 01 61 12 09"), "data[a]: the data ends within a field"],
    ["another wire type", enveloped("v1", "Pod", "0a 02 08 01"), "metadata.name: expected wire type 2, found 0"],
    [
      "a number too long",
      enveloped("v1", "Pod", "0a 0c 38 ffffffffffffffffffff01"),
      "metadata.generation: an integer is longer",
    ],
    ["field number zero", enveloped("v1", "Pod", "02 00"), "a field has no valid number"],
    ["an unknown wire type", enveloped("v1", "Pod", "ff 3f"), "unknown wire type 7"],
    [
      "text that is no JSON",
      enveloped("apps/v1", "ControllerRevision", "12 03 0a 01 7b"),
      "data.raw: expected JSON text",
    ],
    ["a time too far", enveloped("v1", "Pod", "0a 0b 42 09 08 ffffffffffffff7f"), "metadata.creationTimestamp: "],
  ])("%s", (_name, bytes, message) => {
    expect(() => decode(bytes)).toThrow(ProtobufError);
    expect(() => decode(bytes)).toThrow(message);
  });

  test("messages inside one another without end", () => {
    const not =
      schema.wireFields("apiextensions/v1", "JSONSchemaProps")?.find(({ name }) => name === "not")?.number ?? 0;
    let message: Buffer = Buffer.alloc(0);
    for (let depth = 0; depth < 3_000; depth++) message = field(not, message);
    // spec, versions, schema, openAPIV3Schema
    const hex = field(2, field(7, field(4, field(1, message)))).toString("hex");
    expect(() => decode(enveloped(CRD_VERSION, "CustomResourceDefinition", hex))).toThrow(
      "nested deeper than 500 messages",
    );
  });

  test("objects in envelopes inside one another without end", () => {
    let bytes = enveloped("v1", "List", "");
    for (let depth = 0; depth < 1_000; depth++) {
      bytes = enveloped("v1", "List", field(2, field(1, bytes)).toString("hex"));
    }
    expect(() => decode(bytes)).toThrow(/nested deeper than/);
  });

  test("any cut or changed byte gives an object or an error, never anything else", () => {
    const whole = encode({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "a", labels: { x: "y" }, creationTimestamp: "2024-02-29T23:59:59Z" },
      spec: { containers: [{ name: "c", resources: { limits: { cpu: "1" } }, ports: [{ containerPort: 80 }] }] },
    });
    for (let at = 0; at < whole.length; at++) {
      expectObjectOrError(whole.subarray(0, at));
      for (const byte of [0, 0x7f, 0x80, 0xff, (whole[at] as number) ^ 1]) {
        const changed = Buffer.from(whole);
        changed[at] = byte;
        expectObjectOrError(changed);
      }
    }
  });

  function expectObjectOrError(bytes: Buffer): void {
    try {
      const envelope = readEnvelope(bytes);
      typeOf("v1", "Pod").protobuf.decode(envelope);
    } catch (error) {
      if (!(error instanceof ProtobufError)) throw error;
    }
  }
});

test("a watch frame is four bytes of length and the event", () => {
  const object = Buffer.from("6b387300", "hex");
  expect(Buffer.concat([watchFrameFront("ADDED", object.length), object]).toString("hex")).toBe(
    "0000000f" + "0a054144444544" + "1206" + "0a04" + "6b387300",
  );
});
