export { canonicalBase64 } from "./base64";
export { copyJson } from "./copy-json";
export { DecodeError, describe } from "./decode-error";
export { type DecodeOptions, type DecodeProblem, mapKey, PROBLEMS_MAX, pathText } from "./decode-walk";
export { canonicalDuration, durationText, parseDuration } from "./duration";
export { encodeJson } from "./encode-json";
export { bigIntOf, exactInteger, isInt64, isWrittenAsFraction, nextInteger, readJson, writeJson } from "./exact-json";
export type * from "./generated/types/index";
export { isObject, type JsonArray, type JsonObject, type JsonValue } from "./json";
export { JsonError } from "./json-error";
export { JsonInSteps, type OmittedMembers, withoutMembers } from "./json-in-steps";
export { memberOf, setMember } from "./json-member";
export { loadSchema } from "./load-schema";
export { type MadeField, type MadeStruct, madeStruct } from "./made-struct";
export { StructObjectType } from "./object-type";
export { MessageWriter, type OpenapiVersion } from "./openapi/message-writer";
export { embeddedObjectFields, standardListFields, standardObjectFields } from "./openapi/standard-fields";
export { type GroupVersionKind, TypeModels } from "./openapi/type-models";
export { type ParsedJson, type ParseJsonOptions, parseJson } from "./parse-json";
export { ENVELOPE_BACK, type Envelope, itemStart, readEnvelope } from "./protobuf/envelope";
export { ProtobufError } from "./protobuf/protobuf-error";
export type { ProtobufForm } from "./protobuf/protobuf-form";
export { watchFrameFront } from "./protobuf/watch-frame";
export {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  parseQuantity,
  type Quantity,
  type QuantityFormat,
  quantityMilliValue,
  quantityText,
  quantityValue,
  roundUpQuantity,
  subtractQuantities,
} from "./quantity";
export { compareReleases, existsIn } from "./release";
export type * from "./runtime-type";
export type { DecodeResult, GroupVersionSchema, ObjectType, Schema } from "./schema";
export { canonicalMicroTime, canonicalTime, microTimeText, parseTime, timeText } from "./time";
export {
  countValues,
  FEW_VALUES_BYTES,
  hasManyValues,
  isLargeJson,
  MANY_VALUES,
  VALUES_READ_WHOLE,
} from "./value-count";
export { isLargerThan, partsUpTo } from "./value-parts";
export { onceForRelease } from "./vocabulary/once-for-release";
export {
  groupNames,
  otherClientHint,
  otherVocabularyHint,
  ownApiVersion,
  ownGroupName,
} from "./vocabulary/other-names";
export type { Vocabulary, VocabularyName } from "./vocabulary/vocabulary";
export { groupName, VOCABULARY_NAMES, vocabularyOf } from "./vocabulary/vocabulary";
export type { WireField, WireType } from "./wire-message";
export { type ParsedYaml, parseYaml } from "./yaml/parse-yaml";
export { YamlError, yamlPlace } from "./yaml/yaml-error";
export { yamlItems, yamlText } from "./yaml/yaml-text";
export { emissionOf, isEmpty, zeroValue } from "./zero-value";
