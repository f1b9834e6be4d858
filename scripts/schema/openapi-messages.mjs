// Converts the messages of proto/openapi into the tables of packages/schema/src/openapi/message-writer.ts.
import protobuf from "protobufjs";

/** @returns the messages of one file: name → { form, fields: [member, number, type, repeated, when][] } */
export function openapiMessages(text, packageName) {
  const { root } = protobuf.parse(text, { keepCase: true });
  const messages = root.lookup(packageName).nestedArray;
  return Object.fromEntries(messages.map((message) => [message.name, messageTable(message)]));
}

function messageTable(message) {
  const form = message.options?.["(form)"];
  return { ...(form === undefined ? {} : { form }), fields: message.fieldsArray.map(fieldRow) };
}

function fieldRow({ name, id, type, repeated, options }) {
  const when = options?.["(when)"];
  const row = [options?.json_name ?? name, id, type, repeated, when ?? null];
  return row;
}
