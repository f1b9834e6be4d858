// Parses one declared rule, such as `beta(1.37):ifEnabled(HPAScaleToZero)=minimum=0`. The stage in front is
// documentation: a rule is in force at every stage. An unknown rule is an error of the build.

/**
 * @param text rule as in the option `validation`
 * @param place location for errors
 * @returns {object[]} the rule's record; empty for rules that only document
 */
export function parseRule(text, place) {
  const [, front, body] = /^((?:(?:(?:alpha|beta|since|before)\([\d.]+\)|inCode):)*)(.*)$/s.exec(text);
  const since = /since\(([\d.]+)\)/.exec(front)?.[1];
  const before = /before\(([\d.]+)\)/.exec(front)?.[1];
  const rule = ruleOf(body, { text, place });
  if (rule === undefined) return [];
  const inCode = front.includes("inCode:");
  return [{ ...rule, ...(since && { since }), ...(before && { before }), ...(inCode && { inCode }) }];
}

/** Rules with a number. */
const LIMITS = new Set(["minimum", "maximum", "maxItems", "maxLength", "maxBytes"]);
/** Rules without an argument, by the name of their record. */
const PLAIN = new Map([
  ["enum", "enum"],
  ["forbidden", "forbidden"],
  ["unionMember", "unionMember"],
  ["modeDiscriminator", "discriminator"],
  ["opaqueType", "opaque"],
]);
/** Rules with an optional text, which follows the standard one. */
const WORDED = new Set(["immutable", "required"]);
/** Rules that only document: an absent value is valid anyway, and code of the kind has the custom rules. */
const DOCUMENTS = new Set(["optional", "customValidation", "customUnique"]);
const UPDATES = new Set(["NoSet", "NoUnset", "NoModify", "NoAddItem", "NoRemoveItem"]);

function ruleOf(body, at) {
  const [, name, argument, value] = /^(\w+)(?:\(([^)]*)\))?(?:=(.*))?$/s.exec(body) ?? [];
  const text = argument?.replace(/^"(.*)"$/s, "$1");
  if (argument === undefined && value === undefined) {
    if (DOCUMENTS.has(name)) return undefined;
    if (WORDED.has(name)) return { is: name };
    if (PLAIN.has(name)) return { is: PLAIN.get(name) };
  } else if (value === undefined) {
    if (WORDED.has(name)) return { is: name, detail: text };
    if (name === "unlessSet") return { is: name, field: text };
    if (name === "dependentRequired" || name === "dependentForbidden") return dependentOf(name, argument, at);
    if (name === "unionMember") return memberOf(argument, at);
  } else if (argument === undefined) {
    if (LIMITS.has(name) && /^-?\d+$/.test(value)) return { is: name, limit: Number(value) };
    if (name === "format") return { is: "format", format: formatOf(value, at) };
    if (name === "unique") return uniqueOf(value, at);
    if (name === "update" && UPDATES.has(value)) return { is: "update", forbids: value };
    if (name === "neq") return { is: "neq", value: constantOf(value, at) };
    if (name === "eachVal" || name === "eachKey") return nested({ is: name }, value, at);
  } else {
    if (name === "ifEnabled") return nested({ is: "gate", gate: text, on: true }, value, at);
    if (name === "ifDisabled") return nested({ is: "gate", gate: text, on: false }, value, at);
    if (name === "ifMode") return nested({ is: "mode", mode: text }, value, at) ?? { is: "mode", mode: text };
    if (name === "subfield") return nested({ is: "subfield", field: text }, value, at);
    if (name === "update" && UPDATES.has(value)) return { is: "update", forbids: value, detail: text };
    if (name === "item" && value === "zeroOrOneOfMember") return { is: "oneOfItems", ...itemOf(argument, at) };
  }
  throw new Error(`${at.place}: the rule ${JSON.stringify(at.text)} is unknown`);
}

/** Wraps the rule that follows `=`. A rule that only documents leaves nothing to wrap, except below a mode. */
function nested(outer, value, at) {
  const of = ruleOf(value, at);
  return of === undefined || of.is === "opaque" ? of : { ...outer, of };
}

/** `"FIELD"`, or `"FIELD", "TEXT"`. */
function dependentOf(is, argument, at) {
  const [, field, detail] = /^"(\w+)"(?:, "(.*)")?$/s.exec(argument) ?? [];
  if (field === undefined) throw new Error(`${at.place}: ${JSON.stringify(at.text)} is not ${is}("FIELD", "TEXT")`);
  return { is, field, ...(detail && { detail }) };
}

/** `none: "TEXT"` when no member is set, `also: "TEXT"` when another one is set too. */
function memberOf(argument, at) {
  const [, name, text] = /^(none|also): "(.*)"$/s.exec(argument) ?? [];
  if (name === undefined) {
    throw new Error(`${at.place}: the text of ${JSON.stringify(at.text)} is neither none: "TEXT" nor also: "TEXT"`);
  }
  return { is: "unionMember", [name]: text };
}

/** Returns the constant that a value must not have: JSON of a string, a number or a boolean. */
function constantOf(text, at) {
  if (!/^(?:"[^"\\]*"|-?\d+|true|false)$/.test(text)) {
    throw new Error(`${at.place}: ${JSON.stringify(at.text)} does not name a string, a number or a boolean`);
  }
  return JSON.parse(text);
}

/** Returns the id of a format in the vocabulary's table `schemaFormats`. */
function formatOf(value, at) {
  const id = /^"?\{schemaFormats\.(\w+)\}"?$/.exec(value)?.[1];
  if (id === undefined)
    throw new Error(`${at.place}: ${JSON.stringify(at.text)} does not name a format of the vocabulary`);
  return id;
}

/** `set`, or `map` with the key fields: `map(name)`. */
function uniqueOf(value, at) {
  if (value === "set") return { is: "unique" };
  const keys = /^map\(([\w,]+)\)$/.exec(value)?.[1];
  if (keys === undefined)
    throw new Error(`${at.place}: ${JSON.stringify(at.text)} is neither unique=set nor unique=map(KEYS)`);
  return { is: "unique", keys: keys.split(",") };
}

function itemOf(argument, at) {
  const [, field, value] = /^(\w+): "([^"]*)"$/.exec(argument) ?? [];
  if (field === undefined) throw new Error(`${at.place}: the item of ${JSON.stringify(at.text)} is not FIELD: "VALUE"`);
  return { field, value };
}
