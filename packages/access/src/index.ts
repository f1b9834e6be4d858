// Questions about access, and the grants that answer them. The package has no imports of Node.js, so that the console
// can use it in a browser.
export {
  type AskedAction,
  type AskedResource,
  actionText,
  PATH_VERBS,
  RESOURCE_VERBS,
  resourceAction,
  reviewAttributes,
  typeName,
} from "./asked-action";
export {
  appliesTo,
  type FoundGrants,
  findGrants,
  type Grant,
  type GrantedSubject,
  placeText,
  type RbacObject,
  type RbacResource,
  type RbacSource,
  subjectsOf,
} from "./grants";
export { compactRules, type ListedRule, typeText } from "./listed-rules";
export { granted, type NearGrant, nearest, nearText } from "./nearest-grants";
export { groupsOf, type PolicyRule, ruleAllows, ruleText, type Subject } from "./policy-rule";
