import type { JsonObject } from "@orch/schema";
import type { TableColumn } from "../resources/resource-definition";

/** Returns the column definitions of a table. All columns are sent; the client hides those that it does not show. */
export const columnDefinitions = (columns: readonly TableColumn[]): JsonObject[] =>
  columns.map(({ name, type, format, description, priority }) => ({ name, type, format, description, priority }));
