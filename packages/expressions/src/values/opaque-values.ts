// Values of the types defined by the Kubernetes CEL libraries.
import { compareQuantities, type Quantity } from "@orch/schema";
import { OpaqueValue } from "./cel-value";

export class QuantityValue extends OpaqueValue {
  readonly typeName = "Quantity";
  constructor(readonly quantity: Quantity) {
    super();
  }
  equals(other: OpaqueValue): boolean {
    return other instanceof QuantityValue && compareQuantities(this.quantity, other.quantity) === 0;
  }
}

export interface UrlParts {
  readonly text: string;
  readonly scheme: string;
  /** Host with its port; an IPv6 address is in brackets. */
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
  readonly query: string;
}

export class UrlValue extends OpaqueValue {
  readonly typeName = "URL";
  constructor(readonly parts: UrlParts) {
    super();
  }
  equals(other: OpaqueValue): boolean {
    return other instanceof UrlValue && other.parts.text === this.parts.text;
  }
}

/** An address as a number of 32 or 128 bits. */
export interface Address {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

export class IpValue extends OpaqueValue {
  readonly typeName = "net.IP";
  constructor(readonly address: Address) {
    super();
  }
  equals(other: OpaqueValue): boolean {
    return (
      other instanceof IpValue &&
      other.address.family === this.address.family &&
      other.address.bits === this.address.bits
    );
  }
}

export class CidrValue extends OpaqueValue {
  readonly typeName = "net.CIDR";
  constructor(
    readonly address: Address,
    readonly prefix: number,
  ) {
    super();
  }
  equals(other: OpaqueValue): boolean {
    if (!(other instanceof CidrValue) || other.prefix !== this.prefix) return false;
    return other.address.family === this.address.family && other.address.bits === this.address.bits;
  }
}

/** A named format. */
export class FormatValue extends OpaqueValue {
  readonly typeName = "NamedFormat";
  constructor(
    readonly name: string,
    /** Returns the violations of the format by a text. */
    readonly problems: (text: string) => readonly string[],
  ) {
    super();
  }
  equals(other: OpaqueValue): boolean {
    return other instanceof FormatValue && other.name === this.name;
  }
}
