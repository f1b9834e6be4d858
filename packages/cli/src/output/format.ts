// Output of values as JSON and YAML, in the forms of kubectl: JSON with four blanks, keys in order.
import { isObject, type JsonValue, writeJson, yamlText } from "@orch/schema";
import { Option } from "commander";
import { CliError } from "../process/cli-error";

/** Returns the option `-o`. @param formats accepted values; a format with an argument ends with `=` */
export function outputOption(formats: readonly string[]): Option {
  return new Option("-o, --output <format>", `output format: ${formats.join(", ")}`).argParser((text: string) => {
    const isKnown = formats.some((each) => (each.endsWith("=") ? text.startsWith(each) : each === text));
    if (isKnown) return text;
    if (text.startsWith("go-template") || text.startsWith("template")) {
      throw new CliError(`-o ${text.split("=")[0]} is not supported: use jsonpath=TEMPLATE or custom-columns=COLUMNS`);
    }
    const empty = formats.find((each) => each === `${text}=`);
    if (empty !== undefined)
      throw new CliError(`-o ${text} needs a value, as in ${empty}${text.endsWith("-file") ? "FILE" : "TEMPLATE"}`);
    throw new CliError(
      `unable to match a printer suitable for the output format ${JSON.stringify(text)}, allowed formats are: ${formats.map((each) => each.replace(/=$/, "")).join(",")}`,
    );
  });
}

/** Returns the text of a value. @param format `json` or `yaml` */
export function formatted(value: unknown, format: string): string {
  return format === "yaml" ? yamlText(value as JsonValue) : `${indentedJson(value)}\n`;
}

const STEP = "    ";

/** Returns JSON in lines, with the keys in order. @param before indentation of the lines after the first one */
export function indentedJson(value: unknown, before = ""): string {
  const text = escaped(writeJson(inKeyOrder(value as JsonValue), STEP));
  return before === "" ? text : text.replaceAll("\n", `\n${before}`);
}

/** Returns JSON in one line, with the keys in order. */
export const compactJson = (value: unknown): string => escaped(writeJson(inKeyOrder(value as JsonValue)));

/** Escapes what the JSON encoder of Go escapes, so that texts are those of kubectl. */
const escaped = (json: string): string =>
  json.replaceAll(/[<>&\u2028\u2029]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Returns a value with the keys of its objects in order, as kubectl writes it. */
export function inKeyOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inKeyOrder);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, inKeyOrder(value[key] as JsonValue)]));
}
