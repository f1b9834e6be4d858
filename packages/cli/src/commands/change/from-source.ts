// Errors of writes that name the file of the object. Source: kubectl/pkg/cmd/util/helpers.go, AddSourceToErr.
import { StatusError } from "@orch/machinery";

/** Names the file in an error of the server. @param doing such as `creating` */
export function fromSource(error: unknown, doing: string, source: string | undefined): unknown {
  if (source === undefined || !(error instanceof StatusError)) return error;
  const { reason, details, code, foreignReason } = error;
  const message = `error when ${doing} ${JSON.stringify(source)}: ${error.message}`;
  return new StatusError(reason, message, details, { code, ...(foreignReason === undefined ? {} : { foreignReason }) });
}

/** Runs a write, and names the file in its error. */
export async function sourcedWrite<T>(
  doing: string,
  { source }: { readonly source: string | undefined },
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw fromSource(error, doing, source);
  }
}
