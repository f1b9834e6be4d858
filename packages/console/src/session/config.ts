// Settings that the server gives without authentication: nothing of them is confidential.
import type { Vocabulary } from "../vocabulary/names";

export interface OidcEndpoints {
  readonly authorization: string;
  readonly token: string;
}

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Absent while the server has not read the issuer's document. */
  readonly endpoints?: OidcEndpoints;
}

export interface Config {
  readonly vocabulary: Vocabulary;
  readonly version: string;
  readonly oidc?: OidcSettings;
  /** Path of the page that explores the published schema. */
  readonly explorer?: string;
}

/** @throws Error with a text for people */
export async function loadConfig(): Promise<Config> {
  let answer: Response;
  try {
    answer = await fetch(`${import.meta.env.BASE_URL}config.json`, { headers: { Accept: "application/json" } });
  } catch {
    throw new Error("The server cannot be reached. The console tries again when the page is reloaded.");
  }
  if (!answer.ok)
    throw new Error(`The server answers ${answer.status} when the console asks for its settings. Reload the page.`);
  return answer.json();
}
