// Validation of Windows user names: `user` or `domain\user`. Source: pkg/apis/core/validation/validation.go.
import type { FormatErrors } from "@orch/machinery";

const DOMAIN_MAX = 256;
const USER_MAX = 104;

const NETBIOS_DOMAIN = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_DOMAIN = /^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*$/;
const USER_FORBIDDEN = /["/\\:;|=,+*?<>@[\]]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;
const ONLY_DOTS_OR_SPACES = /^[. ]+$/;

export function windowsUserErrors(text: string): FormatErrors {
  if (text === "") return ["runAsUserName cannot be an empty string"];
  const parts = text.split("\\");
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash", ...controlCharacters(text)];
  const user = parts.at(-1) ?? "";
  return [...controlCharacters(text), ...(parts.length === 2 ? domainErrors(parts[0] ?? "") : []), ...userErrors(user)];
}

const controlCharacters = (text: string): FormatErrors =>
  CONTROL_CHARACTERS.test(text) ? ["runAsUserName cannot contain control characters"] : [];

function domainErrors(domain: string): FormatErrors {
  if (domain.length >= DOMAIN_MAX) return [`runAsUserName's Domain length must be under ${DOMAIN_MAX} characters`];
  return NETBIOS_DOMAIN.test(domain) || DNS_DOMAIN.test(domain)
    ? []
    : ["runAsUserName's Domain does not match the NetBIOS nor the DNS format"];
}

function userErrors(user: string): FormatErrors {
  if (user === "") return ["runAsUserName's User cannot be empty"];
  return [
    ...(user.length > USER_MAX ? [`runAsUserName's User length must not be longer than ${USER_MAX} characters`] : []),
    ...(ONLY_DOTS_OR_SPACES.test(user) ? ["runAsUserName's User cannot contain only periods or spaces"] : []),
    ...(USER_FORBIDDEN.test(user)
      ? [`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`]
      : []),
  ];
}
