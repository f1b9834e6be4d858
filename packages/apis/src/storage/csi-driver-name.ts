// What a driver of storage may be called. Source: facts, validation/storage.md "CSI driver name".
import { subdomainErrors, tooLongText } from "@orch/machinery";
import { format } from "../validation/format-rules";

const MAX_CHARACTERS = 63;

/** Letters may be of either case. */
export const csiDriverName = format((name: string) => [
  ...(name.length > MAX_CHARACTERS ? [tooLongText(MAX_CHARACTERS)] : []),
  ...subdomainErrors(name.toLowerCase()),
]);
