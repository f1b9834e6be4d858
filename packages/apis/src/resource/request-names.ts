// Names of the requests of a claim, as other parts of the claim refer to them. Source: gatherRequestNames in
// pkg/apis/resource/validation/validation.go.
import { label1123, type Rule } from "@orch/apis-model";
import type { resourceV1 } from "@orch/schema";

const NAME_DETAIL =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

export class RequestNames {
  private readonly known = new Map<string, ReadonlySet<string>>();

  constructor({ requests }: resourceV1.DeviceClaim) {
    for (const { name, firstAvailable = [] } of requests ?? [])
      this.known.set(name, new Set(firstAvailable.map((each) => each.name)));
  }

  /** Returns whether it is a request, or a request and one of its alternatives. */
  has(reference: string): boolean {
    const [request = "", alternative] = reference.split("/");
    const alternatives = this.known.get(request);
    return alternatives !== undefined && (alternative === undefined || alternatives.has(alternative));
  }
}

/** Requires a reference to a request of the claim. */
export const knownRequest =
  (names: RequestNames): Rule<string> =>
  (reference, at, report) => {
    const parts = reference.split("/");
    if (parts.length > 2) return report.invalid(at, reference, NAME_DETAIL);
    for (const part of parts) label1123(part, at, report);
    if (!names.has(reference)) report.invalid(at, reference, NAME_DETAIL);
  };
