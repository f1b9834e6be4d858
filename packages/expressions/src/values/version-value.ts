// A semantic version. Source: Semantic Versioning 2.0.0.
import { compareSemanticVersions, parseSemanticVersion, type SemanticVersion } from "@orch/machinery";
import { OpaqueValue } from "./cel-value";

/** Numbers of this length fit into 64 bits. */
const MAX_DIGITS = 18;
const MAX_CHARACTERS = 4096;

type Numbers = readonly [bigint, bigint, bigint];

export class VersionValue extends OpaqueValue {
  readonly typeName = "Semver";
  readonly numbers: Numbers;

  private constructor(private readonly version: SemanticVersion) {
    super();
    this.numbers = version.numbers.map(BigInt) as unknown as Numbers;
  }

  /** Parses a version. @returns undefined when the text is not a version */
  static parse(text: string): VersionValue | undefined {
    if (text.length > MAX_CHARACTERS) return undefined;
    const version = parseSemanticVersion(text);
    const isSmall = version?.numbers.every(({ length }) => length <= MAX_DIGITS) === true;
    return version !== undefined && isSmall ? new VersionValue(version) : undefined;
  }

  /** Compares by precedence, which build metadata does not affect. */
  compare(other: VersionValue): number {
    return Math.sign(compareSemanticVersions(this.version, other.version));
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof VersionValue && this.compare(other) === 0;
  }
}
