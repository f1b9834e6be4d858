// An object created by a struct literal.
import { type CelValue, OpaqueValue } from "./cel-value";
import { equal } from "./equality";

export class StructValue extends OpaqueValue {
  constructor(
    readonly typeName: string,
    readonly fields: ReadonlyMap<string, CelValue>,
  ) {
    super();
  }

  equals(other: OpaqueValue): boolean {
    if (!(other instanceof StructValue) || other.typeName !== this.typeName) return false;
    if (other.fields.size !== this.fields.size) return false;
    for (const [name, value] of this.fields) {
      const theirs = other.fields.get(name);
      if (theirs === undefined || !equal(value, theirs, FREE)) return false;
    }
    return true;
  }
}

/** Charges nothing: creating the struct was charged already. */
const FREE = { step() {} };
