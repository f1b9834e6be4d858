// `--raw`: sends a file as it is to a path of the server. Source: kubectl/pkg/rawhttp/raw.go.
import { CliError } from "../../process/cli-error";
import { requireRawPath } from "../../process/raw-path";
import { readText } from "../../resources/manifests";
import type { Session } from "../../session/session";
import type { OutcomeOptions } from "./outcome";

interface Options extends Pick<OutcomeOptions, "output"> {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
  readonly selector?: string;
}

/** Sends the file, and prints what the server answers. @throws CliError for options that do not fit together */
export async function sendRaw(
  session: Session,
  method: "POST" | "PUT" | "DELETE",
  { path, ...options }: Options & { readonly path: string },
): Promise<void> {
  const { filename = [], recursive = false, selector, output } = options;
  const [file = "", ...more] = filename;
  if (more.length > 0) throw new CliError("--raw can only use a single local file or stdin");
  if (/^https?:\/\//.test(file)) throw new CliError("--raw cannot read from a url");
  if (recursive) throw new CliError("--raw and --recursive are mutually exclusive");
  if (selector !== undefined) throw new CliError("--raw and --selector (-l) are mutually exclusive");
  if (output !== undefined) throw new CliError("--raw and --output are mutually exclusive");
  requireRawPath(path);
  const body = file === "" ? undefined : Buffer.from(await readText(file, session.io));
  const client = await session.client();
  const sent = body === undefined ? {} : { body, contentType: "application/json" };
  session.write(await client.requestText({ method, path, ...sent, signal: session.signal }));
}
