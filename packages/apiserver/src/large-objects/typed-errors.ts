// Errors that keep their type between the main thread and the large-object workers.
import { type StatusDetails, StatusError, type StatusReason } from "@orch/machinery";
import type { TypedErrors } from "@orch/platform";
import { StoreError, type StoreErrorCode } from "@orch/store";

type SentError =
  | {
      readonly kind: "status";
      readonly reason: StatusReason;
      readonly message: string;
      readonly details: StatusDetails | undefined;
      readonly code: number;
      readonly continueToken: string | undefined;
    }
  | {
      readonly kind: "store";
      readonly code: StoreErrorCode;
      readonly message: string;
      readonly compactRevision: number | undefined;
    };

export const TYPED_ERRORS: TypedErrors = {
  sent(error): SentError | undefined {
    if (error instanceof StatusError) {
      const { reason, message, details, code, continueToken } = error;
      return { kind: "status", reason, message, details, code, continueToken };
    }
    if (error instanceof StoreError) {
      const { code, message, compactRevision } = error;
      return { kind: "store", code, message, compactRevision };
    }
    return undefined;
  },
  received: (sent) => restored(sent as SentError),
};

function restored(error: SentError): Error {
  switch (error.kind) {
    case "status": {
      const { reason, message, details, code, continueToken } = error;
      return new StatusError(reason, message, details, {
        code,
        ...(continueToken === undefined ? {} : { continueToken }),
      });
    }
    case "store": {
      const { code, message, compactRevision } = error;
      return new StoreError(code, message, compactRevision === undefined ? {} : { compactRevision });
    }
  }
}
