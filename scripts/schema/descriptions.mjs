// What the comments of the schema of record say of kinds and fields: for people who read the published schema.
// packages/schema/src/descriptions.ts has the shape and its reading.

/** @returns the texts of one file: type → { "": the type's own, field's JSON name: the field's }; undefined where there are none */
export function descriptionsOf({ messages }) {
  const texts = messages.map((message) => [message.name, Object.fromEntries(textsOf(message))]);
  const said = texts.filter(([, text]) => Object.keys(text).length > 0);
  return said.length === 0 ? undefined : Object.fromEntries(said);
}

function textsOf({ text, fields }) {
  const own = [["", text], ...fields.map((field) => [field.options.one("json_name") ?? field.name, field.text])];
  return own.filter(([, said]) => said !== undefined);
}
