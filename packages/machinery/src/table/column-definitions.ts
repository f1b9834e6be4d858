import type { JsonObject } from "@orch/schema";
import type { TableColumn } from "../resources/resource-definition";

/** What a table says of its columns. All of them are sent, the client leaves out what it does not show. Source: facts, table.md. */
export const columnDefinitions = (columns: readonly TableColumn[]): JsonObject[] =>
  columns.map(({ name, type, format, description, priority }) => ({ name, type, format, description, priority }));
