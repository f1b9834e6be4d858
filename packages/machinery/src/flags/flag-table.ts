// Flags as data: one row a flag, from which parsing, defaults, `--help` and the type of the configuration come.

export interface FlagRow {
  readonly type: keyof FlagValues;
  /** As it would be written after the `=`; "" is the type's empty value. */
  readonly default: string;
  readonly help: string;
  /** Heading in `--help`. */
  readonly section: string;
  /** What to do instead; the flag still works, warns, and is left out of `--help`. */
  readonly deprecated?: string;
  /** Taken so that command lines written for other servers work, and documented as such. */
  readonly noEffect?: true;
  /** With `noEffect`: what a deployment that relies on the flag does without. Any value but the default is warned of. */
  readonly missing?: string;
  /** The only values that are taken. */
  readonly oneOf?: readonly string[];
  /** What the flag means without a value; then the next word is never its value. Bools have "true". */
  readonly bare?: string;
  readonly min?: number;
  readonly max?: number;
}

/** What a flag of a type holds. Durations are milliseconds. */
export interface FlagValues {
  bool: boolean;
  duration: number;
  float: number;
  int: number;
  ip: string;
  /** `k=true,k2=false`, repeatable. */
  mapStringBool: Readonly<Record<string, boolean>>;
  /** `k=v,k2=v2`, repeatable; a bare key holds "". */
  mapStringString: Readonly<Record<string, string>>;
  string: string;
  /** Repeatable; commas are data. */
  stringArray: readonly string[];
  /** Comma list, repeatable; the first use replaces the default, further ones append. */
  strings: readonly string[];
}

export type FlagTable = Readonly<Record<string, FlagRow>>;

export type ConfigOf<Table extends FlagTable> = { readonly [Name in keyof Table]: FlagValues[Table[Name]["type"]] };

/** Gives every row of a part of a table its heading. */
export function section<const Rows extends Readonly<Record<string, Omit<FlagRow, "section">>>>(
  heading: string,
  rows: Rows,
): { readonly [Name in keyof Rows]: Rows[Name] & { readonly section: string } } {
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, { ...row, section: heading }])) as {
    readonly [Name in keyof Rows]: Rows[Name] & { readonly section: string };
  };
}
