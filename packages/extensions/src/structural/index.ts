export { type CompiledSchema, compileSchema, frontOf, type SchemaSource, type SchemaUpdate } from "./compiled-schema";
export { structuralErrors } from "./structural-errors";
