// Tables of chosen fields: `-o custom-columns=NAME:.metadata.name`, and the same in a file. Source: kubectl's reference,
// "Custom columns".
import type { JsonObject } from "@orch/schema";
import { CliError } from "../process/cli-error";
import { ColumnLayout, visible } from "./columns";
import { goText } from "./go-text";
import { parseTemplate, type TemplatePart } from "./path-template";
import { templateValues } from "./path-values";

export interface CustomColumn {
  readonly header: string;
  readonly path: readonly TemplatePart[];
}

/** Parses `NAME:.metadata.name,IMAGE:.spec.containers[*].image`. @throws CliError */
export function customColumns(spec: string): readonly CustomColumn[] {
  if (spec === "") throw new CliError("custom-columns format specified but no custom columns given");
  return spec.split(",").map((part) => {
    const colon = part.indexOf(":");
    if (colon < 0) {
      throw new CliError(`unexpected custom-columns spec: ${part}, expected <header>:<json-path-expr>`);
    }
    return { header: part.slice(0, colon), path: relaxedPath(part.slice(colon + 1)) };
  });
}

/** Parses the two lines of a file: headers, and paths. @throws CliError */
export function customColumnsOfFile(text: string): readonly CustomColumn[] {
  const [headers, paths] = text.split("\n").map((line) => line.split(/\s+/).filter((word) => word !== ""));
  if (headers === undefined || headers.length === 0 || paths === undefined || paths.length === 0) {
    throw new CliError("the file of custom columns needs a line of headers and a line of paths");
  }
  if (headers.length !== paths.length) {
    throw new CliError(`number of headers (${headers.length}) and field specifications (${paths.length}) don't match`);
  }
  return headers.map((header, at) => ({ header, path: relaxedPath(paths[at] as string) }));
}

/** Parses a path with or without its braces and its leading dot. @throws CliError */
export function relaxedPath(path: string): readonly TemplatePart[] {
  if (path === "") return [];
  const found = /^\{\.?([^{}]+)\}$|^\.?([^{}]+)$/s.exec(path);
  if (found === null) {
    throw new CliError(
      `unexpected path string ${JSON.stringify(path)}, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'`,
    );
  }
  return parseTemplate(`{.${found[1] ?? found[2]}}`);
}

/** Prints objects that arrive in parts as rows. */
export class CustomColumnsPrinter {
  private readonly layout = new ColumnLayout();
  private hasHeaders: boolean;

  constructor(
    private readonly columns: readonly CustomColumn[],
    { headers = true }: { readonly headers?: boolean } = {},
  ) {
    this.hasHeaders = !headers;
  }

  print(objects: readonly JsonObject[]): string {
    const rows = objects.map((object) => this.columns.map(({ path }) => cellOf(path, object)));
    const head = this.hasHeaders ? [] : [this.columns.map(({ header }) => header)];
    this.hasHeaders = true;
    return this.layout.text([...head, ...rows]);
  }
}

function cellOf(path: readonly TemplatePart[], object: unknown): string {
  const values = templateValues(path, object);
  const found = values.flat();
  const texts = values.length === 0 || values[0]?.length === 0 ? ["<none>"] : [];
  return visible([...texts, ...found.map(goText)].join(","));
}
