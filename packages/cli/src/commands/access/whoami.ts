// `orch whoami` and `orch auth whoami`: the user that the server sees, or, from servers that do not tell, the user that
// the credential names.
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Client, ConnectionSettings } from "@orch/client";
import { StatusError } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";
import { columnText, visible } from "../../output/columns";
import { formatted } from "../../output/format";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { review } from "./access-review";

export interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

const VERSIONS = ["v1", "v1beta1", "v1alpha1"] as const;

export async function whoAmI(session: Session, { output }: { readonly output?: string }): Promise<void> {
  const { user, version } = await currentUser(session);
  if (output !== undefined) {
    const apiVersion = `${vocabularyOf((await session.client()).vocabulary).groups.authentication}/${version}`;
    session.write(
      formatted({ apiVersion, kind: "SelfSubjectReview", metadata: {}, status: { userInfo: user } }, output),
    );
    return;
  }
  const list = (values: readonly string[]) => `[${values.join(" ")}]`;
  const rows = [
    ["ATTRIBUTE", "VALUE"],
    ...(user.username ? [["Username", user.username]] : []),
    ...(user.uid ? [["UID", user.uid]] : []),
    ...(user.groups?.length ? [["Groups", list(user.groups)]] : []),
    ...Object.entries(user.extra ?? {})
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, values]) => [`Extra: ${key}`, list(values)]),
  ];
  session.write(columnText(rows.map((row) => row.map(visible))));
}

/** Returns the user of the session. @throws CliError when neither the server nor the credential names one */
export async function currentUser(
  session: Session,
): Promise<{ readonly user: UserInfo; readonly version: (typeof VERSIONS)[number] }> {
  const client = await session.client();
  const reviewed = await reviewedUser(client);
  if (reviewed !== undefined) return reviewed;
  const user = userOfCredential(session.connection);
  if (user === undefined) {
    throw new CliError(
      "the server does not tell who its user is (the selfsubjectreviews API is not enabled), and the credential names none",
    );
  }
  session.tell("The server does not tell who its user is. This is what the credential says:");
  return { user, version: "v1" };
}

async function reviewedUser(client: Client) {
  for (const version of VERSIONS) {
    try {
      const body = { kind: "SelfSubjectReview" };
      const status = await review<{ userInfo?: UserInfo }>(client, "authentication", body, "", version);
      return { user: status.userInfo ?? {}, version };
    } catch (error) {
      // A server before 1.27 answers 404, or 403 to users who may not ask for unknown resources.
      if (!(error instanceof StatusError) || (error.code !== 404 && error.code !== 403)) throw error;
    }
  }
  return undefined;
}

/** Reads the user from a credential, without verifying it. */
function userOfCredential({ credentials, impersonation }: ConnectionSettings): UserInfo | undefined {
  if (impersonation !== undefined) {
    const { user, uid, groups, extra } = impersonation;
    return { username: user, ...(uid && { uid }), ...(groups && { groups }), ...(extra && { extra }) };
  }
  const { certificate, token, tokenFile } = credentials;
  const bearer = tokenFile === undefined ? token : readFileSync(tokenFile, "utf8").trim();
  if (bearer !== undefined) return userOfToken(bearer);
  if (certificate === undefined) return undefined;
  const { certificate: source } = certificate;
  return userOfCertificate(source.kind === "text" ? source.text : readFileSync(source.path, "utf8"));
}

function userOfToken(token: string): UserInfo | undefined {
  try {
    const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Record<
      string,
      unknown
    >;
    const { sub, groups } = claims;
    if (typeof sub !== "string") return undefined;
    const named = Array.isArray(groups) && groups.every((each) => typeof each === "string");
    return { username: sub, ...(named && { groups: groups as string[] }) };
  } catch {
    return undefined;
  }
}

function userOfCertificate(pem: string): UserInfo {
  const lines = new X509Certificate(pem).subject.split("\n");
  const valuesOf = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
  return { username: valuesOf("CN")[0] ?? "", groups: valuesOf("O") };
}
