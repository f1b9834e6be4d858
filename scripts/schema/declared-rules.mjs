// Compiles the declared rules of the fields of .proto files (option `validation`) into records that
// packages/apis-model/src/declared runs. Rules are named as in Kubernetes' API conventions, "Declarative Validation".
import { parseRule } from "./declared-rule.mjs";

/**
 * Returns the records of the types that have rules, or lead to a type that has rules, by file and name.
 * @param files parsed .proto files
 * @returns {[string, object][]} file and its types
 */
export function declaredRules(files) {
  const types = new Map(
    files.flatMap(({ id, messages }) => messages.map((message) => [`${id}.${message.name}`, { id, message }])),
  );
  const enums = new Map(
    files.flatMap(({ id, options }) => options.all("enum_values").map((row) => [`${id}.${row.name}`, row])),
  );
  const aliases = new Map(
    files.flatMap(({ id, options }) => options.all("alias").map(({ name, of }) => [`${id}.${name}`, of])),
  );
  const resolve = (id, type) => {
    const reference = referenceOf(id, type);
    return aliases.get(reference) ?? reference;
  };
  const fieldsOf = ({ id, message }) =>
    message.fields.flatMap((field) => {
      if (!field.options.one("inline")) return [{ id, field }];
      const inner = types.get(resolve(id, field.type));
      return inner === undefined ? [] : fieldsOf(inner);
    });
  const compiled = new Map([...types].map(([name, type]) => [name, fieldsOf(type).map((each) => compileField(each))]));
  const leading = new Set();
  for (let before = -1; before !== leading.size; ) {
    before = leading.size;
    for (const [name, fields] of compiled) if (fields.some(isLeading)) leading.add(name);
  }
  const records = files.map(({ id, messages }) => [
    id,
    Object.fromEntries(
      messages
        .filter(({ name, options }) => leading.has(`${id}.${name}`) && !options.one("list"))
        .map(({ name }) => [name, compiled.get(`${id}.${name}`).filter(isLeading).map(recordOf)]),
    ),
  ]);
  return records.filter(([, record]) => Object.keys(record).length > 0);

  function isLeading({ rules, type }) {
    return rules.length > 0 || (type !== undefined && leading.has(type));
  }

  function recordOf({ type, ...field }) {
    return compact({ ...field, type: type !== undefined && leading.has(type) ? type : undefined });
  }

  function compileField({ id, field: { name, type, map, repeated, options } }) {
    const place = `${id}: field ${name} of type ${type}`;
    const rules = options.all("validation").flatMap((text) => parseRule(text, place));
    const isOpaque = rules.some(({ is }) => is === "opaque");
    const reference = resolve(id, type);
    const keys = options.all("list_map_key");
    return {
      name: options.one("json_name") ?? name,
      since: options.one("since"),
      shape: map ? "map" : repeated ? "list" : undefined,
      pointer: options.one("pointer"),
      keys: options.one("list_type") === "map" ? keys : undefined,
      isSet: (options.one("list_type") === "set" && rules.some(({ is }) => is === "eachVal")) || undefined,
      type: types.has(reference) && !isOpaque ? reference : undefined,
      rules: rules.filter(({ is }) => is !== "opaque").map((rule) => withValues(rule, id, options)),
    };
  }

  function withValues(rule, id, options) {
    if (rule.of !== undefined) return { ...rule, of: withValues(rule.of, id, options) };
    if (rule.is !== "enum" && rule.is !== "discriminator") return rule;
    const name = options.one("enum");
    const values = enums.get(name?.includes(".") ? name : `${id}.${name}`);
    if (values === undefined) throw new Error(`${id}: a field with the rule ${rule.is} has no enum`);
    return { ...rule, values: [values.value].flat() };
  }
}

/** Returns a type as "<file>.<Type>". A scalar becomes the name of a type that no file has. */
function referenceOf(id, type) {
  if (!type.startsWith(".")) return `${id}.${type}`;
  const [name, ...path] = type.slice(1).split(".").reverse();
  return `${path.reverse().join("/")}.${name}`;
}

function compact(record) {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  );
}
