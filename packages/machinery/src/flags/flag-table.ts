// Flags as data: one row per flag defines its parsing, default, `--help` text and configuration type.

export interface FlagRow {
  readonly type: keyof FlagValues;
  /** Default value as text, as after the `=`; "" is the type's empty value. */
  readonly default: string;
  readonly help: string;
  /** Heading in `--help`. */
  readonly section: string;
  /** Replacement. The flag still works, logs a warning, and is hidden in `--help`. */
  readonly deprecated?: string;
  /** The flag is accepted for compatibility with command lines of Kubernetes, and documented as having no effect. */
  readonly noEffect?: true;
  /**
   * With `noEffect`: the function that a deployment relying on the flag lacks. Any value but the default logs a
   * warning.
   */
  readonly missing?: string;
  /** The only accepted values. */
  readonly oneOf?: readonly string[];
  /** Value of the flag when given without one; the next word is then never its value. "true" for bools. */
  readonly bare?: string;
  readonly min?: number;
  readonly max?: number;
}

/** Value type of each flag type. Durations are in milliseconds. */
export interface FlagValues {
  bool: boolean;
  duration: number;
  float: number;
  int: number;
  ip: string;
  /** `k=true,k2=false`; repeatable. */
  mapStringBool: Readonly<Record<string, boolean>>;
  /** `k=v,k2=v2`; repeatable. A bare key has the value "". */
  mapStringString: Readonly<Record<string, string>>;
  string: string;
  /** Repeatable; commas are part of the value. */
  stringArray: readonly string[];
  /** Comma-separated list; repeatable. The first use replaces the default, further ones append. */
  strings: readonly string[];
}

export type FlagTable = Readonly<Record<string, FlagRow>>;

export type ConfigOf<Table extends FlagTable> = { readonly [Name in keyof Table]: FlagValues[Table[Name]["type"]] };

/** Sets the heading of all rows of a part of a table. */
export function section<const Rows extends Readonly<Record<string, Omit<FlagRow, "section">>>>(
  heading: string,
  rows: Rows,
): { readonly [Name in keyof Rows]: Rows[Name] & { readonly section: string } } {
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, { ...row, section: heading }])) as {
    readonly [Name in keyof Rows]: Rows[Name] & { readonly section: string };
  };
}
