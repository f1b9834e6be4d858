// Texts of errors of the operating system, for messages of programs.
const TEXTS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EADDRINUSE: "the address is in use",
  EADDRNOTAVAIL: "this machine does not have the address",
  EAI_AGAIN: "the name of the host cannot be resolved now",
  EEXIST: "exists and is not a folder",
  EISDIR: "is a folder",
  ENOENT: "no such file or directory",
  ENOSPC: "no space is left on the device",
  ENOTDIR: "a part of the path is not a folder",
  ENOTFOUND: "the host is not known",
};

/** Describes an error of the operating system without its code and system call; other errors keep their message. */
export function systemFault(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return TEXTS[code] ?? message ?? String(error);
}
