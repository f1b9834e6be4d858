// Output of values as JSON and YAML, in the forms of kubectl: JSON with four blanks, keys in order.
import { type JsonValue, yamlText } from "@orch/schema";
import { Option } from "commander";
import { CliError } from "../process/cli-error";

/** Returns the option `-o`. @param formats accepted values; a format with an argument ends with `=` */
export function outputOption(formats: readonly string[]): Option {
  return new Option("-o, --output <format>", `output format: ${formats.join(", ")}`).argParser((text: string) => {
    const isKnown = formats.some((each) => (each.endsWith("=") ? text.startsWith(each) : each === text));
    if (isKnown) return text;
    throw new CliError(
      `unable to match a printer suitable for the output format ${JSON.stringify(text)}, allowed formats are: ${formats.join(",")}`,
    );
  });
}

/** Returns the text of a value. @param format `json` or `yaml` */
export function formatted(value: unknown, format: string): string {
  return format === "yaml"
    ? yamlText(inOrder(value as JsonValue))
    : `${JSON.stringify(inOrder(value as JsonValue), null, 4)}\n`;
}

function inOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inOrder);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, member]) => [key, inOrder(member as JsonValue)]),
  );
}
