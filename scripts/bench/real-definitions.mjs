// Generated custom resource definitions of the size that operators install: 50 KB on average, up to 400 KB, with nested
// objects, descriptions, patterns, defaults, lists by key and validation rules. The same index gives the same one.
import { vocabularyOf } from "@orch/schema";
import { definitionOf } from "./objects.mjs";

const MARKERS = vocabularyOf("orch").schemaExtensions;

const VERBS = "selects describes limits enables configures names overrides references bounds schedules".split(" ");
const NOUNS =
  "replicas,selector,template,resources,limits,endpoint,secret,volume,policy,region,network,subnet,backup,schedule,probe,listener,route,gateway,certificate,issuer,cluster,database,user,bucket,queue,topic,alarm,role,key,tag".split(
    ",",
  );
const ENDS =
  "of the workload, when the field is set.|that the controller creates for this object.|which cannot be changed after the creation.|in the cloud account of the provider.|and is ignored in other cases.".split(
    "|",
  );

/** Bytes of the schema of a definition. */
const bytesOf = (index) => (index % 50 === 7 ? 390_000 : index % 10 === 3 ? 110_000 : 34_000);
const GROUPS = 40;

export function realDefinition(index) {
  const group = `g${index % GROUPS}.real.example`;
  const draw = numbers(index + 1);
  const spec = objectNode(draw, bytesOf(index));
  spec[MARKERS.validations] = [{ rule: "!has(self.paused) || self.paused == false || has(self.reason)" }];
  Object.assign(spec.properties, { paused: { type: "boolean" }, reason: { type: "string", maxLength: 1024 } });
  const condition = {
    type: "object",
    required: ["type", "status"],
    properties: Object.fromEntries(["type", "status", "reason", "message"].map((name) => [name, { type: "string" }])),
  };
  const conditions = {
    type: "array",
    items: condition,
    [MARKERS.listType]: "map",
    [MARKERS.listMapKeys]: ["type"],
  };
  const openAPIV3Schema = {
    type: "object",
    properties: { spec, status: { type: "object", properties: { conditions } } },
  };
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema } };
  return definitionOf({ group, plural: `real${index}s`, kind: `Real${index}` }, [
    {
      ...version,
      subresources: { status: {} },
      additionalPrinterColumns: [{ name: "Paused", type: "boolean", jsonPath: ".spec.paused" }],
    },
  ]);
}

/** Returns an object schema of about this many bytes. */
function objectNode(draw, bytes) {
  const properties = {};
  let left = bytes;
  for (let at = 0; left > 300; at += 1) {
    const noun = NOUNS[draw(NOUNS.length)];
    const share = left > 2500 && draw(3) > 0 ? Math.min(left, 800 + draw(left)) : 0;
    const node = share > 0 ? nested(draw, share) : scalar(draw);
    node.description = sentence(draw, noun);
    properties[`${noun}${at}`] = node;
    left -= JSON.stringify(node).length + noun.length + 6;
  }
  return { type: "object", properties };
}

function nested(draw, bytes) {
  const node = objectNode(draw, bytes);
  return draw(4) === 0 ? { type: "array", maxItems: 64, items: node } : node;
}

function scalar(draw) {
  switch (draw(6)) {
    case 0:
      return { type: "integer", format: "int32", minimum: 0, maximum: 65_535 };
    case 1:
      return { type: "boolean", default: false };
    case 2:
      return { type: "string", enum: ["Always", "IfNotPresent", "Never"] };
    case 3:
      return { type: "object", additionalProperties: { type: "string" } };
    case 4:
      return { [MARKERS.intOrString]: true, anyOf: [{ type: "integer" }, { type: "string" }] };
    default:
      return { type: "string", maxLength: 253, pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" };
  }
}

function sentence(draw, noun) {
  const words = [`The ${noun}`, VERBS[draw(VERBS.length)], `the ${NOUNS[draw(NOUNS.length)]}`];
  const more = Array.from({ length: 1 + draw(3) }, () => `and the ${NOUNS[draw(NOUNS.length)]}`);
  return [...words, ...more, ENDS[draw(ENDS.length)]].join(" ");
}

/** Returns a function that draws numbers below a limit, the same ones for the same seed. */
function numbers(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
