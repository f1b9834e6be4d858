// Validates the options of `startServer`, which JavaScript callers can pass without type checks.
import { brokenBound, type FlagRow, unknownFlag } from "@orch/machinery";
import { VOCABULARY_NAMES } from "@orch/schema";
import { SERVER_FLAGS, SettingsError } from "@orch/server-config";

interface UntypedOptions {
  readonly vocabulary?: unknown;
  readonly store?: unknown;
  readonly flags?: unknown;
  readonly logger?: unknown;
}

/** @param known option names @throws SettingsError with one line per fault */
export function refuseWrongOptions(options: unknown, known: readonly string[]): void {
  const problems = isObject(options)
    ? [
        ...unknownOptions(options, known),
        ...wrongVocabulary(options.vocabulary),
        ...lackingMethods("store", options.store, "a store returned by openStore() of @orch/store", ["txn", "watch"]),
        ...lackingMethods("logger", options.logger, "an object that implements Logger", ["info", "warn", "error"]),
        ...wrongFlags(options.flags, known),
      ]
    : [`options: ${shown(options)}: must be an object with members among ${known.join(", ")}`];
  if (problems.length > 0) throw new SettingsError(problems);
}

/** @throws SettingsError */
export function refuseWrongUser(user: unknown): void {
  const { name, groups = [] } = (user ?? {}) as { readonly name?: unknown; readonly groups?: unknown };
  const problems = [
    ...(isText(name) && name !== "" ? [] : [`name: ${shown(name)}: must be a user name, a string that is not empty`]),
    ...(isTexts(groups) ? [] : [`groups: ${shown(groups)}: must be a list of strings`]),
  ];
  if (problems.length > 0) throw new SettingsError(problems);
}

function unknownOptions(options: object, known: readonly string[]): readonly string[] {
  return Object.keys(options)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const flag = name === "port" ? "secure-port" : name;
      const remedy = Object.hasOwn(SERVER_FLAGS, flag)
        ? `: set it as flags: { ${JSON.stringify(flag)}: … }`
        : `: the options are ${known.join(", ")}`;
      return `unknown option ${JSON.stringify(name)}${remedy}`;
    });
}

function wrongVocabulary(vocabulary: unknown): readonly string[] {
  if (vocabulary === undefined || VOCABULARY_NAMES.some((name) => name === vocabulary)) return [];
  return [`vocabulary: ${shown(vocabulary)}: must be one of ${VOCABULARY_NAMES.join(", ")}`];
}

function lackingMethods(name: string, value: unknown, is: string, methods: readonly string[]): readonly string[] {
  if (value === undefined) return [];
  const has = isObject(value) && methods.every((method) => typeof Reflect.get(value, method) === "function");
  return has ? [] : [`${name}: ${shown(value)}: must be ${is}`];
}

function wrongFlags(flags: unknown = {}, options: readonly string[]): readonly string[] {
  if (!isObject(flags)) return [`flags: ${shown(flags)}: must be an object, such as { "secure-port": 6443 }`];
  return Object.entries(flags).flatMap(([name, value]) => {
    if (options.includes(name)) return [`--${name}: ${shown(value)}: set it as the option ${name}, not in flags`];
    if (!Object.hasOwn(SERVER_FLAGS, name)) return [unknownFlag(name, SERVER_FLAGS)];
    const row = (SERVER_FLAGS as Readonly<Record<string, FlagRow>>)[name] as FlagRow;
    const { holds, is, example } = FORMS[row.type];
    if (!holds(value)) return [`--${name}: ${shown(value)}: must be ${is}, such as ${example}`];
    const bounds = name === "secure-port" ? { ...row, min: 0 } : row; // 0: any free one
    const rule = typeof value === "number" ? brokenBound(bounds, value) : undefined;
    return rule === undefined ? [] : [`--${name}: ${shown(value)}: ${rule}`];
  });
}

const isObject = (value: unknown): value is UntypedOptions =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number" && !Number.isNaN(value);
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isMapOf = (holds: (value: unknown) => boolean) => (value: unknown) =>
  isObject(value) && Object.values(value).every(holds);
const isBoolean = (value: unknown): boolean => typeof value === "boolean";

interface Form {
  readonly holds: (value: unknown) => boolean;
  readonly is: string;
  readonly example: string;
}

/** JavaScript type of the values of each flag type. */
const FORMS: Readonly<Record<FlagRow["type"], Form>> = {
  bool: { holds: isBoolean, is: "a boolean", example: "true" },
  duration: { holds: isNumber, is: "a number of milliseconds", example: "60000" },
  float: { holds: isNumber, is: "a number", example: "0.5" },
  int: { holds: Number.isInteger, is: "an integer", example: "6443" },
  ip: { holds: isText, is: "a string", example: '"127.0.0.1"' },
  mapStringBool: { holds: isMapOf(isBoolean), is: "an object of booleans", example: '{ "name": true }' },
  mapStringString: { holds: isMapOf(isText), is: "an object of strings", example: '{ "name": "value" }' },
  string: { holds: isText, is: "a string", example: '"value"' },
  stringArray: { holds: isTexts, is: "a list of strings", example: '["one", "two"]' },
  strings: { holds: isTexts, is: "a list of strings", example: '["one", "two"]' },
};

const SHOWN_CHARACTERS = 100;

const shown = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, SHOWN_CHARACTERS);
