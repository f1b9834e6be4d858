// Bootstrap token Secrets, as an operator creates them.
import type { coreV1 } from "@orch/schema";

const TOKEN = {
  "token-id": "abcdef",
  "token-secret": "0123456789abcdef",
  "usage-bootstrap-signing": "true",
};

/** @param data replaces values of `TOKEN`; "" removes a key */
export function bootstrapSecret(
  data: Readonly<Record<string, string>> = {},
  name = "bootstrap-token-abcdef",
): coreV1.Secret {
  const texts = Object.entries({ ...TOKEN, ...data }).filter(([, text]) => text !== "");
  const encoded = texts.map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  return { metadata: { name }, data: Object.fromEntries(encoded) };
}
