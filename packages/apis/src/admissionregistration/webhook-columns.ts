// Columns of webhook configurations. Source: pkg/printers/internalversion/printers.go.

import { ageColumn, integerColumn, nameColumn } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";

interface WithWebhooks {
  readonly webhooks?: readonly object[];
}

export const webhookColumns: readonly TableColumn[] = [
  nameColumn,
  integerColumn<WithWebhooks>("Webhooks", "How many webhooks are called.", ({ webhooks }) => webhooks?.length ?? 0),
  ageColumn,
];
