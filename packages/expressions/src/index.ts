// Validation rules in the Common Expression Language (CEL): compiled with the types of a schema, and limited in cost.
// Source: "Common Expression Language in Kubernetes" in the Kubernetes documentation.
export {
  CompiledExpression,
  compileExpression,
  type ExpressionBudget,
  type ExpressionOutcome,
  type ExpressionResult,
  type ExpressionSite,
  expressionBudget,
  type VariableSchema,
} from "./compiled-expression";
export { CompiledRule, compileRule, type Outcome, type RuleProblem, type RuleSite } from "./compiled-rule";
export {
  checkDefinitionRules,
  DEFINITION_COST_MAX,
  type DefinitionRules,
  definitionRuleSteps,
  RULE_COST_MAX,
} from "./definition-rules";
export { EXPRESSION_COST_MAX, OBJECT_COST_MAX, OBJECT_WORK_MAX, ObjectBudget } from "./evaluation/budget";
export { ExpressionRules, type RulesAtPlace } from "./expression-rules";
export { DefinitionPlaces, type PlaceRule, type RulesOfPlace } from "./place-rules";
export { PromptExpressions, PromptRun } from "./prompt-expressions";
export {
  compileRequestExpression,
  LazyValues,
  RequestExpression,
  type RequestOutcome,
  type RequestSite,
  requestBudget,
  requestExpressionSteps,
} from "./request-expression";
export { type Reason, type RuleText, readRule, textErrors } from "./rule-text";
export { dynamicValue } from "./schema/dynamic-value";
export { recordType } from "./schema/record-types";
export { type SchemaType, SchemaTypes } from "./schema/schema-type";
export { BOOL, type CelType, DYN, listOf, mapOf, NULL, opaqueOf, STRING } from "./typing/cel-type";
export type { StructDeclaration } from "./typing/environment";
export {
  type AccessAsked,
  type AccessDecision,
  type AccessSubject,
  type AskAccess,
  AuthorizerValue,
  CheckValue,
} from "./values/authorizer-value";
export { CelList, CelMap, type CelValue } from "./values/cel-value";
export { jsonOf } from "./values/json-of";
export { StructValue } from "./values/struct-value";
