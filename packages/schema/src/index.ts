export type { JsonArray, JsonObject, JsonValue } from "./json";
export type { DecodeProblem, DecodeResult, ObjectType, Schema } from "./schema";
export type { ProductGroupId, Vocabulary, VocabularyName } from "./vocabulary/vocabulary";
export { groupName, VOCABULARY_NAMES, vocabularyOf } from "./vocabulary/vocabulary";
