import { describe, expect, test } from "@jest/globals";
import { loadSchema, vocabularyOf } from "@orch/schema";
import { Negotiation, OFFERS, type Offer } from "./content-negotiation";

const vocabulary = vocabularyOf("orch");
const negotiation = new Negotiation(loadSchema(vocabulary));
const { mediaTypes } = negotiation;
const { meta } = vocabulary.groups;
const { protobuf } = mediaTypes;
const metadata = (version: string) => `as=PartialObjectMetadata;v=${version};g=${meta}`;

/** `format` or `format shape version`; undefined when not acceptable. */
function chosen(accept: string | undefined, offer: Offer): string | undefined {
  const { format, shape } = negotiation.find(accept, offer)?.representation ?? {};
  if (shape === undefined || shape.as === "object") return format;
  const what = shape.as === "partialMetadata" && shape.ofList ? "metadataList" : shape.as;
  return `${format} ${what} ${shape.version}`;
}

const { texts, withProtobuf } = OFFERS;

describe("the representations of a route", () => {
  test.each<[string | undefined, Offer, string | undefined]>([
    [undefined, withProtobuf.object, "json"],
    ["", withProtobuf.object, "json"],
    ["*/*", withProtobuf.object, "json"],
    ["application/*", withProtobuf.object, "json"],
    ["application/json; charset=utf-8", texts.object, "json"],
    ["APPLICATION/YAML", texts.object, "yaml"],
    ["text/html, application/xml;q=0.9, */*;q=0.1", texts.object, "json"],
    ["application/json;q=0.5, application/yaml", texts.object, "yaml"],
    ["application/yaml;q=0.5, application/json;q=0.5", texts.object, "yaml"],
    ["application/yaml;q=0, application/json;q=0.1", texts.object, "json"],
    ["text/plain", texts.object, undefined],
    ["application/json;q=0", texts.object, undefined],
    [protobuf, withProtobuf.object, "protobuf"],
    [protobuf, texts.object, undefined],
    [`${protobuf}, application/json`, texts.object, "json"],
    [`${protobuf}, application/json`, withProtobuf.object, "protobuf"],
    ["application/json;sv=v1", texts.object, "json"],
    ["application/json;sv=v2, application/yaml", texts.object, "yaml"],
    ["application/json;unheard=of", texts.object, "json"],
    ["application/json;stream=watch", texts.stream, "json"],
    ["application/json;stream=other", texts.stream, undefined],
    ["application/json;stream=watch", texts.object, "json"],
    ["application/yaml;stream=watch", texts.object, undefined],
    [`${protobuf};stream=watch`, withProtobuf.stream, "protobuf"],
    ["application/yaml", texts.stream, undefined],
    ["application/yaml, application/json", texts.stream, "json"],
    [`application/json;${metadata("v1")}`, texts.object, "json partialMetadata v1"],
    [`application/json;${metadata("v1")}`, texts.stream, "json partialMetadata v1"],
    [`application/yaml;${metadata("v1beta1")}`, texts.object, "yaml partialMetadata v1beta1"],
    [`${protobuf};${metadata("v1")}`, withProtobuf.object, "protobuf partialMetadata v1"],
    [`application/json;as="PartialObjectMetadataList";v=v1;g="${meta}"`, texts.object, "json metadataList v1"],
    [`application/json;as=Table;v=v1;g=${meta},application/json`, texts.object, "json table v1"],
    [`application/yaml;as=Table;v=v1beta1;g=${meta}`, texts.object, "yaml table v1beta1"],
    [`${protobuf};as=Table;v=v1;g=${meta}`, withProtobuf.object, undefined],
    [`${protobuf};as=Table;v=v1;g=${meta},*/*;as=Table;v=v1;g=${meta}`, withProtobuf.object, "json table v1"],
    [`*/*;${metadata("v1")}`, texts.object, "json partialMetadata v1"],
    [`application/json;${metadata("v2")}`, texts.object, undefined],
    [`application/json;${metadata("v1")}`, texts.document, undefined],
    ["application/json;as=PartialObjectMetadata;v=v1;g=other", texts.object, undefined],
    [`application/json;as=Pod;v=v1;g=${meta},application/json`, texts.object, "json"],
    [
      `application/json;${metadata("v2")},application/json;${metadata("v1beta1")}`,
      texts.object,
      "json partialMetadata v1beta1",
    ],
  ])("%s takes %#", (accept, offer, expected) => expect(chosen(accept, offer)).toBe(expected));

  test("two headers that say the same come to one representation", () => {
    const one = negotiation.find(`application/json;${metadata("v1")}`, texts.object);
    const other = negotiation.find(`application/json;${metadata("v1")};q=0.9`, texts.object);
    expect(one?.representation).toBe(other?.representation);
  });

  test.each<[string, boolean | undefined]>([
    ["application/json;pretty=1", true],
    ["application/json;pretty=0", false],
    ["application/json;pretty", true],
    ["application/json;q=1", undefined],
  ])("%s says of indentation: %s", (accept, pretty) => {
    expect(negotiation.find(accept, texts.object)?.pretty).toBe(pretty);
  });

  test.each<[Offer, string]>([
    [texts.object, "application/json, application/yaml"],
    [withProtobuf.object, `application/json, application/yaml, ${protobuf}`],
    [texts.stream, "application/json;stream=watch"],
    [withProtobuf.stream, `application/json;stream=watch, ${protobuf};stream=watch`],
  ])("a refusal names what there is (%#)", (offer, types) => {
    expect(() => negotiation.require("text/plain", offer)).toThrow(
      expect.objectContaining({ code: 406, message: `only the following media types are accepted: ${types}` }),
    );
  });
});
