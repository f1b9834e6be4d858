// Failures of a start that the operator can remedy: reported in one line, without a stack.
import type { ServerConfig } from "@orch/server-config";
import { WrongVocabularyError } from "./bootstrap/vocabulary-record";

/** Returns why the server cannot start, with the option and the remedy; undefined for an unexpected error. */
export function startFailure(
  error: unknown,
  config: Pick<ServerConfig, "bind-address" | "secure-port">,
): string | undefined {
  if (error instanceof WrongVocabularyError) return error.message;
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (syscall !== "listen") return undefined;
  const [address, port] = [config["bind-address"], config["secure-port"]];
  switch (code) {
    case "EADDRINUSE":
      return `--secure-port: ${port} of ${address} is in use: stop the program that listens there, or choose another port`;
    case "EACCES":
      return `--secure-port: this user may not listen on ${port}: choose a port of 1024 or higher`;
    case "EADDRNOTAVAIL":
      return `--bind-address: ${address} is not an address of this machine`;
    default:
      return `--secure-port: ${message}`;
  }
}
