// Validation rules in the Common Expression Language (CEL): compiled with the types of a schema, and limited in cost.
// Source: "Common Expression Language in Kubernetes" in the Kubernetes documentation.

export { EXPRESSION_COST_MAX, ObjectBudget } from "./cost/budget";
export { type SelectorSite, selectorProblem } from "./devices/device-selector";
export { configuredLimit, type ExpressionLimit, newExpressionLimit } from "./functions/library";
export {
  CompiledExpression,
  compileExpression,
  type ExpressionResult,
  expressionBudget,
  type VariableSchema,
} from "./requests/compiled-expression";
export { PromptExpressions, PromptRun } from "./requests/prompt-expressions";
export {
  LazyValues,
  RequestExpression,
  type RequestOutcome,
  type RequestSite,
  requestBudget,
  requestExpressionSteps,
} from "./requests/request-expression";
export { CompiledRule, compileRule, type Outcome } from "./rules/compiled-rule";
export {
  checkDefinitionRules,
  definitionRuleSteps,
} from "./rules/definition-rules";
export { ExpressionRules } from "./rules/expression-rules";
export { DefinitionPlaces } from "./rules/place-rules";
export type { RuleText } from "./rules/rule-text";
export { recordType } from "./schema/record-types";
export { type SchemaType, SchemaTypes } from "./schema/schema-type";
export { dynamicValue } from "./schema/schema-value";
export type { StructDeclaration } from "./typing/environment";
export {
  type AccessCheck,
  type AccessDecision,
  type AccessSubject,
  AuthorizerValue,
  CheckValue,
} from "./values/authorizer-value";
export { BOOL, type CelType, DYN, listOf, NULL, opaqueOf, STRING } from "./values/cel-type";
export { CelList, type CelValue } from "./values/cel-value";
export { configurationOf, patchValueOf, UnsupportedValue } from "./values/mutation-values";
export { StructValue } from "./values/struct-value";
