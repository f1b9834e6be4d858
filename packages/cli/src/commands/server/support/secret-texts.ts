// Removal of secrets from texts of a support bundle: forms of credentials, and credentials that the command knows itself.
const REMOVED = "[removed]";
const FORMS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  // JSON web tokens, such as those of service accounts (RFC 7519).
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
  // Bootstrap tokens.
  /\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g,
  /(?<=\bBearer\s+)[\w.~+/=-]+/gi,
  /(?<=\bBasic\s+)[\w+/=]{8,}/g,
  // Credentials and tokens in URLs.
  /(?<=\w:\/\/)[^\s/@:]*:[^\s/@]+(?=@)/g,
  /(?<=[#?&](?:access_|id_)?token=)[^\s&"']+/gi,
  // Values under names that say what they are.
  /(?<=\b(?:token|password|passwd|secret|client-key-data|client-certificate-data|api[_-]?key)"?\s*[:=]\s*"?)[^\s",;]{4,}/gi,
];
/** Shorter texts would occur by chance. */
const KNOWN_MIN = 8;

/** @param known credentials as texts, each of which is removed wherever it occurs */
export function withoutSecrets(text: string, known: readonly string[] = []): string {
  let clean = text;
  for (const secret of known) {
    const trimmed = secret.trim();
    if (trimmed.length >= KNOWN_MIN) clean = clean.replaceAll(trimmed, REMOVED);
  }
  for (const form of FORMS) clean = clean.replace(form, REMOVED);
  return clean;
}
