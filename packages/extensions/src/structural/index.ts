export { type CompiledSchema, compileSchema, frontOf, type SchemaSource } from "./compiled-schema";
export { structuralErrors } from "./structural-errors";
