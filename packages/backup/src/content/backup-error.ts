// Failures of backups whose cause is outside of the program: a full disk, an unreachable bucket, a damaged file.
import type { ExternalError } from "@orch/platform";

export class BackupError extends Error implements ExternalError {
  override readonly name = "BackupError";
  readonly isOutside = true;
}
