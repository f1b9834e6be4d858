// The values that cross the wire, once bytes have become objects.
export type JsonValue = null | boolean | number | string | JsonArray | JsonObject;
export type JsonArray = JsonValue[];
export interface JsonObject {
  [key: string]: JsonValue;
}
