// Parses a .proto file: messages, the options of proto/schema/options.proto, and the comments of messages and fields.
import protobuf from "protobufjs";

/**
 * @param id path of the file relative to proto/, without the extension, such as "core/v1"
 * @returns {{ id: string, options: Options, messages: { name: string, text?: string, options: Options, fields: ProtoField[] }[] }}
 * where Options returns the first value or all values of an option, which may be repeated, and `text` is the comment
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

/** Joins the lines of each paragraph of a comment. Empty lines separate paragraphs. */
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
