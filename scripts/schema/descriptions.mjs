// Extracts the descriptions of kinds and fields from the comments of the .proto files, for the published schema.
// packages/schema/src/descriptor/descriptions.ts defines the format and reads it.

/** @returns descriptions of a file: type → { "": of the type, JSON name: of the field }; undefined if it has none */
export function descriptionsOf({ messages }) {
  const texts = messages.map((message) => [message.name, Object.fromEntries(textsOf(message))]);
  const said = texts.filter(([, text]) => Object.keys(text).length > 0);
  return said.length === 0 ? undefined : Object.fromEntries(said);
}

function textsOf({ text, fields }) {
  const own = [["", text], ...fields.map((field) => [field.options.one("json_name") ?? field.name, field.text])];
  return own.filter(([, said]) => said !== undefined);
}
