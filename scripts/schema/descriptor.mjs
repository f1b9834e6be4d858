// Converts a parsed .proto file into its record in the descriptor. Default values are omitted to keep the text short.
// packages/schema/src/descriptor/descriptor-record.ts defines the format and reads it.

const SCALARS = new Set(["string", "bool", "bytes", "double", "int32", "int64", "uint32"]);

export function descriptorOf({ id, options, messages }) {
  return compact({
    id,
    group: options.one("group"),
    version: options.one("version"),
    since: options.one("file_since"),
    until: options.one("file_until"),
    aliases: Object.fromEntries(options.all("alias").map(({ name, of }) => [name, of])),
    enums: Object.fromEntries(options.all("enum_values").map((row) => [row.name, enumRecord(row)])),
    types: Object.fromEntries(messages.map((message) => [message.name, typeRecord(id, message)])),
  });
}

function enumRecord({ value, closed, value_since: later = [] }) {
  const since = Object.fromEntries([later].flat().map((text) => text.split("=")));
  return compact({ values: [value].flat(), closed, since });
}

function typeRecord(id, { options, fields }) {
  return compact({
    root: options.one("root"),
    list: options.one("list"),
    jsonOnly: options.one("json_only"),
    special: options.one("special"),
    atomic: options.one("struct_type") === "atomic" || undefined,
    union: options.one("union"),
    since: options.one("type_since"),
    until: options.one("type_until"),
    fields: fields.map((field) => fieldRecord(id, field)),
  });
}

function fieldRecord(id, { name, number, type, map, repeated, options }) {
  const json = options.one("json_name") ?? name;
  const defaultText = options.one("default");
  return compact({
    json,
    name: options.one("proto_name") ?? (json === name ? undefined : name),
    number,
    type: typeReference(id, type),
    shape: map ? "map" : repeated ? "list" : undefined,
    inline: options.one("inline"),
    required: options.one("required"),
    requiredSince: options.one("required_since"),
    requiredUntil: options.one("required_until"),
    pointer: options.one("pointer"),
    omitEmpty: options.one("omit_empty"),
    omitZero: options.one("omit_zero"),
    default: defaultText === undefined ? undefined : JSON.parse(defaultText),
    relation: options.one("list_type") ?? options.one("map_type") ?? options.one("field_struct_type"),
    keys: options.all("list_map_key"),
    patchStrategies: options.all("patch_strategy"),
    patchMergeKey: options.one("patch_merge_key"),
    enum: options.one("enum"),
    enumSince: options.one("enum_since"),
    keyEnum: options.one("key_enum"),
    discriminator: options.one("union_discriminator"),
    oneOf: options.one("one_of"),
    featureGates: options.all("feature_gate"),
    since: options.one("since"),
    until: options.one("until"),
  });
}

/** Returns a scalar unchanged, a type of the same file by its name, and a type of another file as "<file>.<Type>". */
function typeReference(id, type) {
  if (SCALARS.has(type)) return type;
  if (!type.startsWith(".")) return type;
  const [name, ...path] = type.slice(1).split(".").reverse();
  const file = path.reverse().join("/");
  return file === id ? name : `${file}.${name}`;
}

function compact(record) {
  const isSaid = ([, value]) =>
    value !== undefined && !(typeof value === "object" && value !== null && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(record).filter(isSaid));
}
