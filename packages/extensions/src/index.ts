// Definitions that arrive at run time: custom resources and aggregated APIs.
export { type ConversionCall, type ConverterParts, webhookConverters } from "./conversion/webhook-converter";
export {
  type CompileParts,
  type ConverterFactory,
  compileDefinition,
  type ServingState,
} from "./definitions/compile-definition";
export type { Definition, Names } from "./definitions/definition";
export { type Costs, RECENT_MINUTES, RecentCosts } from "./definitions/recent-costs";
export type { ResourceHost } from "./definitions/resource-host";
export { type SchemaRulesParts, withSchemaRules } from "./definitions/schema-rules";
export {
  type DefinitionOverview,
  type DefinitionSource,
  ServedDefinitions,
  type ServedDefinitionsParts,
} from "./definitions/served-definitions";
