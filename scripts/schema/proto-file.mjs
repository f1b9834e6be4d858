// Reads one .proto file: its messages, and the options of proto/schema/options.proto.
import protobuf from "protobufjs";

/**
 * @param id the file's path below proto/ without its ending, such as "core/v1"
 * @returns {{ id: string, options: Options, messages: { name: string, options: Options, fields: ProtoField[] }[] }}
 * where Options maps an option's name to the list of its values, as options may repeat
 */
export function parseProto(id, text) {
  const { root } = protobuf.parse(text, { keepCase: true });
  const scope = id.split("/").reduce((namespace, name) => namespace.get(name), root);
  return {
    id,
    options: optionsOf(scope),
    messages: scope.nestedArray.map((type) => ({
      name: type.name,
      options: optionsOf(type),
      fields: type.fieldsArray.map(protoField),
    })),
  };
}

function protoField(field) {
  return {
    name: field.name,
    number: field.id,
    type: field.type,
    map: field.map === true,
    repeated: field.repeated,
    options: optionsOf(field),
  };
}

function optionsOf(node) {
  const options = new Map();
  for (const parsed of node.parsedOptions ?? []) {
    for (const [name, value] of Object.entries(parsed)) {
      const short = name.replace(/^\(schema\.(\w+)\)$/, "$1");
      options.set(short, [...(options.get(short) ?? []), value]);
    }
  }
  return {
    one: (name) => options.get(name)?.[0],
    all: (name) => options.get(name) ?? [],
  };
}
