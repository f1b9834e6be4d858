// Texts of errors of the operating system, for messages of programs.

/** Texts by code, or by code and system call. */
const TEXTS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EADDRINUSE: "the address is in use",
  EADDRNOTAVAIL: "this machine does not have the address",
  EAI_AGAIN: "the name of the host cannot be resolved now",
  ECONNREFUSED: "the connection was refused",
  EEXIST: "exists already",
  "EEXIST mkdir": "exists and is not a folder",
  EISDIR: "is a folder",
  ENOENT: "no such file or directory",
  ENOSPC: "no space is left on the device",
  ENOTDIR: "a part of the path is not a folder",
  ENOTFOUND: "the host is not known",
};

/**
 * Describes an error of the operating system without its code and system call, and without the path of its file, which
 * the caller names. Other errors keep their message.
 */
export function systemFault(error: unknown): string {
  const { code = "", syscall = "", message } = error as NodeJS.ErrnoException;
  // Node.js gives no message where several addresses of a host were tried.
  return TEXTS[`${code} ${syscall}`] ?? TEXTS[code] ?? (message || code || String(error));
}
