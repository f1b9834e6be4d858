// Reads one .proto file: its messages, the options of proto/schema/options.proto, and the comments in front of messages and fields.
import protobuf from "protobufjs";

/**
 * @param id the file's path below proto/ without its ending, such as "core/v1"
 * @returns {{ id: string, options: Options, messages: { name: string, text?: string, options: Options, fields: ProtoField[] }[] }}
 * where Options maps an option's name to the list of its values, as options may repeat, and `text` is what the comment says
 */
export function parseProto(id, text) {
  const { root } = protobuf.parse(text, { keepCase: true, alternateCommentMode: true });
  const scope = id.split("/").reduce((namespace, name) => namespace.get(name), root);
  return {
    id,
    options: optionsOf(scope),
    messages: scope.nestedArray.map((type) => ({
      name: type.name,
      text: prose(type.comment),
      options: optionsOf(type),
      fields: type.fieldsArray.map(protoField),
    })),
  };
}

function protoField(field) {
  return {
    name: field.name,
    text: prose(field.comment),
    number: field.id,
    type: field.type,
    map: field.map === true,
    repeated: field.repeated,
    options: optionsOf(field),
  };
}

/** A comment's lines as one text; an empty line in it parts paragraphs. */
function prose(comment) {
  const paragraphs = (comment ?? "").split(/\n\s*\n/).map((lines) => lines.trim().replace(/\s*\n\s*/g, " "));
  return paragraphs.join("\n\n") || undefined;
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
