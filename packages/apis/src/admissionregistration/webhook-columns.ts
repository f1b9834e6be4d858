// Columns of webhook configurations. Source: pkg/printers/internalversion/printers.go.
import type { TableColumn } from "@orch/machinery";
import { ageColumn, integerColumn, nameColumn } from "../model/columns/column";

interface WithWebhooks {
  readonly webhooks?: readonly object[];
}

export const webhookColumns: readonly TableColumn[] = [
  nameColumn,
  integerColumn<WithWebhooks>("Webhooks", "How many webhooks are called.", ({ webhooks }) => webhooks?.length ?? 0),
  ageColumn,
];
