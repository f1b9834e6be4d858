// Prints objects as `-o` asks, one after the other or as one list.
import { isObject, type JsonObject, type JsonValue, yamlItems, yamlText } from "@orch/schema";
import { CliError } from "../process/cli-error";
import { visible } from "./columns";
import { CustomColumnsPrinter } from "./custom-columns";
import { formatted, indentedJson } from "./format";
import type { ObjectFormat } from "./object-format";
import { templateText, templateValues } from "./path-values";

export interface PrinterOptions {
  readonly showManagedFields?: boolean | undefined;
  /** Default: true. */
  readonly headers?: boolean | undefined;
}

/** Prints objects, each for itself. */
export class ObjectPrinter {
  private printed = 0;
  private readonly columns: CustomColumnsPrinter | undefined;

  constructor(
    private readonly format: ObjectFormat,
    private readonly options: PrinterOptions = {},
  ) {
    const { headers = true } = options;
    this.columns = format.kind === "custom-columns" ? new CustomColumnsPrinter(format.columns, { headers }) : undefined;
  }

  /** Returns a value as JSON and YAML show it. */
  shown(value: JsonObject): JsonObject {
    return this.options.showManagedFields === true ? value : withoutManagedFields(value);
  }

  /** Returns the text of an object. @param value also a list, or any other JSON */
  text(value: JsonObject): string {
    const shown = this.shown(value);
    this.printed += 1;
    const { format } = this;
    switch (format.kind) {
      case "json":
        return formatted(shown, "json");
      case "yaml":
        return `${this.printed > 1 ? "---\n" : ""}${yamlText(shown)}`;
      case "name":
        return itemsOf(value)
          .map((item) => `${visible(objectName(item))}\n`)
          .join("");
      case "jsonpath":
        return pathText(format, value);
      case "custom-columns":
        return (this.columns as CustomColumnsPrinter).print(itemsOf(value));
    }
  }
}

/**
 * Prints one list whose items arrive in parts. The items are kept only for templates, which may read them in any order.
 */
export class ListPrinter {
  private readonly single: ObjectPrinter;
  private readonly kept: JsonObject[] = [];
  private count = 0;

  constructor(
    private readonly format: ObjectFormat,
    private readonly options: PrinterOptions = {},
  ) {
    this.single = new ObjectPrinter(format, options);
  }

  /** Returns the text of further items. */
  items(objects: readonly JsonObject[]): string {
    if (objects.length === 0) return "";
    const { format, options } = this;
    if (format.kind === "name" || format.kind === "custom-columns") {
      return this.single.text({ items: [...objects] });
    }
    if (format.kind === "jsonpath") {
      for (const each of objects) this.kept.push(each);
      return "";
    }
    const shown = options.showManagedFields === true ? objects : objects.map(withoutManagedFields);
    const isFirst = this.count === 0;
    this.count += objects.length;
    if (format.kind === "yaml") return `${isFirst ? "apiVersion: v1\nitems:\n" : ""}${yamlItems(shown)}`;
    const texts = shown.map((each) => `        ${indentedJson(each, "        ")}`);
    return `${isFirst ? '{\n    "apiVersion": "v1",\n    "items": [\n' : ",\n"}${texts.join(",\n")}`;
  }

  /** Returns the text after the last item. */
  end(): string {
    const { format, count } = this;
    if (format.kind === "jsonpath") return pathText(format, listOf(this.kept));
    if (format.kind === "yaml") return count === 0 ? yamlText(listOf([])) : YAML_END;
    if (format.kind === "json") return count === 0 ? formatted(listOf([]), "json") : JSON_END;
    return "";
  }
}

const YAML_END = 'kind: List\nmetadata:\n  resourceVersion: ""\n';
const JSON_END = '\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n';

const listOf = (items: JsonObject[]): JsonObject => ({
  apiVersion: "v1",
  items,
  kind: "List",
  metadata: { resourceVersion: "" },
});

function pathText(format: Extract<ObjectFormat, { readonly kind: "jsonpath" }>, value: JsonObject): string {
  const { parts, asJson, allowMissingKeys, template } = format;
  try {
    if (!asJson) return templateText(parts, value, { allowMissingKeys });
    return templateValues(parts, value, { allowMissingKeys })
      .map((found) => formatted(found, "json"))
      .join("");
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError(`error executing jsonpath ${JSON.stringify(template)}: ${error.message}`);
  }
}

/** Returns the items of a list, or the object itself. */
export const itemsOf = (value: JsonObject): readonly JsonObject[] =>
  Array.isArray(value["items"]) ? (value["items"] as readonly JsonObject[]) : [value];

/** Returns the name of an object as commands print it: `pod/web`, `deployment.apps/shop`. */
function objectName({ apiVersion, kind, metadata }: JsonObject): string {
  const [group, version] = String(apiVersion ?? "").split("/");
  const name = isObject(metadata) ? String(metadata["name"] ?? "") : "";
  return `${String(kind ?? "").toLowerCase()}${version === undefined ? "" : `.${group}`}/${name}`;
}

/** Returns an object, or the items of a list, without `metadata.managedFields`. */
export function withoutManagedFields(value: JsonObject): JsonObject {
  const { metadata, items } = value;
  if (Array.isArray(items)) return { ...value, items: items.map((item) => (isObject(item) ? bare(item) : item)) };
  return isObject(metadata) ? bare(value) : value;
}

function bare(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata) || !Object.hasOwn(metadata, "managedFields")) return object;
  const { managedFields: _, ...rest } = metadata as { readonly [key: string]: JsonValue };
  return { ...object, metadata: rest };
}
