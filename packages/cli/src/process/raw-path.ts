// The path of `--raw`. Source: kubectl/pkg/rawhttp/raw.go.
import { CliError } from "./cli-error";

/** @throws CliError for a text that is no path of the server */
export function requireRawPath(path: string): void {
  if (path.startsWith("/")) return;
  throw new CliError(`--raw must be a valid URL path: parse ${JSON.stringify(path)}: invalid URI for request`);
}
