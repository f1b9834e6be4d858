// `orch certificate list`: requests with what they ask for.
import { columnText, visible } from "../../../output/columns";
import type { Session } from "../../../session/session";
import { type SigningRequest, signingRequests } from "./requests";
import { subjectText } from "./signing-request";

export async function listRequests(
  session: Session,
  { pending, headers }: { readonly pending?: boolean; readonly headers: boolean },
): Promise<void> {
  const { requests } = await signingRequests(session);
  const rows: string[][] = [];
  for await (const request of requests.all({ signal: session.signal, dropsManagedFields: true })) {
    const condition = conditionText(request);
    if (pending === true && condition !== "Pending") continue;
    const { metadata, spec } = request;
    const subject = subjectText(Buffer.from(spec.request, "base64").toString("latin1"));
    const lifetime = spec.expirationSeconds === undefined ? "<none>" : `${spec.expirationSeconds}s`;
    rows.push(
      [metadata.name, spec.signerName ?? "", spec.username ?? "", subject, lifetime, condition].map((cell) =>
        visible(cell),
      ),
    );
  }
  if (rows.length === 0) session.tell("No resources found");
  else {
    const head = headers ? [["NAME", "SIGNERNAME", "REQUESTOR", "SUBJECT", "REQUESTEDDURATION", "CONDITION"]] : [];
    session.write(columnText([...head, ...rows]));
  }
}

function conditionText({ status }: SigningRequest): string {
  const types = (status?.conditions ?? []).map(({ type }) => type);
  const words = types.length === 0 ? ["Pending"] : types;
  return [...words, ...(status?.certificate ? ["Issued"] : [])].join(",");
}
