// Columns of certificate signing requests. Source: pkg/printers/internalversion/printers.go.
import type { TableColumn } from "@orch/machinery";
import type { certificatesV1 } from "@orch/schema";
import { ageColumn, column, nameColumn, type Seen } from "../model/columns/column";

type SigningRequest = certificatesV1.CertificateSigningRequest;

export const signingRequestColumns: readonly TableColumn[] = [
  nameColumn,
  ageColumn,
  column<SigningRequest>("SignerName", "Who is asked to sign.", ({ spec }) => spec?.signerName || "<none>"),
  column<SigningRequest>("Requestor", "Who asks.", ({ spec }) => spec?.username ?? ""),
  column<SigningRequest>("Condition", "What was decided, and what became of it.", progress),
];

function progress({ status }: Seen<SigningRequest>): string {
  const has = (wanted: string) => status?.conditions?.some(({ type }) => type === wanted) ?? false;
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return `${decision}${has("Failed") ? ",Failed" : ""}${status?.certificate ? ",Issued" : ""}`;
}
