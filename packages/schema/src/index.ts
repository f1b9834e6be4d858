export { CborError, cborToJson } from "./cbor/cbor-to-json";
export { cborDocument, cborHead, encodeCbor, SELF_DESCRIBED } from "./cbor/encode-cbor";
export { DecodeError, describe } from "./decoding/decode-error";
export type { DecodeOptions } from "./decoding/decode-walk";
export {
  type DeclaredField,
  type DeclaredFormat,
  type DeclaredRule,
  declaredFields,
  declaredTypes,
} from "./descriptor/declared-rules";
export type * from "./generated/types/index";
export { type DecodeProblem, PROBLEMS_MAX, pathText } from "./json/decode-problem";
export { encodeJson } from "./json/encode-json";
export {
  bigIntOf,
  exactInteger,
  isInt64,
  isWrittenAsFraction,
  nextInteger,
  readJson,
  writeJson,
} from "./json/exact-json";
export { JsonError } from "./json/json-error";
export { JsonInSteps, type OmittedMembers, withoutMembers } from "./json/json-in-steps";
export {
  copyJson,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  memberOf,
  setMember,
} from "./json/json-value";
export { type ParseJsonOptions, parseJson } from "./json/parse-json";
export { inDocumentOrder, inKeyOrder, inPathOrder } from "./json/problem-order";
export {
  countValues,
  FEW_VALUES_BYTES,
  hasManyValues,
  isLargeJson,
  isLargerThan,
  MANY_VALUES,
  partsUpTo,
  VALUES_READ_WHOLE,
} from "./json/value-count";
export { loadSchema } from "./object-types/load-schema";
export { StructObjectType } from "./object-types/object-type";
export type { DecodeResult, ObjectType, Schema } from "./object-types/schema";
export { MessageWriter, type OpenapiVersion } from "./openapi/message-writer";
export { embeddedObjectFields, standardListFields, standardObjectFields } from "./openapi/standard-fields";
export { type GroupVersionKind, TypeModels } from "./openapi/type-models";
export { ENVELOPE_BACK, type Envelope, itemStart, readEnvelope } from "./protobuf/envelope";
export { ProtobufError } from "./protobuf/protobuf-error";
export type { ProtobufForm } from "./protobuf/protobuf-form";
export { watchFrameFront } from "./protobuf/watch-frame";
export { type DynamicField, dynamicStruct } from "./types/dynamic-struct";
export type * from "./types/runtime-type";
export { isEmpty, zeroValue } from "./types/zero-value";
export { canonicalBase64 } from "./values/base64";
export { canonicalDuration, parseDuration } from "./values/duration";
export {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityMilliValue,
  quantityText,
  quantityValue,
  roundUpQuantity,
  subtractQuantities,
} from "./values/quantity";
export { compareReleases, existsIn } from "./values/release";
export { canonicalMicroTime, canonicalTime, microTimeText, parseTime, timeText } from "./values/time";
export { NameTranslation } from "./vocabulary/name-translation";
export {
  groupNames,
  otherClientHint,
  otherVocabularyHint,
  ownApiVersion,
  ownGroupName,
} from "./vocabulary/other-names";
export {
  groupName,
  onceForRelease,
  VOCABULARY_NAMES,
  type Vocabulary,
  type VocabularyName,
  vocabularyOf,
} from "./vocabulary/vocabulary";
export { parseYaml } from "./yaml/parse-yaml";
export { YamlError, yamlPlace } from "./yaml/yaml-error";
export { yamlItems, yamlText } from "./yaml/yaml-text";
