export { type CompiledSchema, type CompileOptions, compileSchema, frontOf, type SchemaSource } from "./compiled-schema";
export type { FieldErrors } from "./content-errors";
export type { PlaceRules, RuleBudget, RuleLanguage, RulePlace } from "./place-rules";
export { type FieldPath, type StructuralOptions, structuralErrors } from "./structural-errors";
