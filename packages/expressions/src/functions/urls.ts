// Absolute URLs and absolute paths, without a fragment. Source: staging/src/k8s.io/apiserver/pkg/cel/library/urls.go;
// RFC 3986.
import { CONSTANT, reads } from "../cost/cost-model";
import { ArrayList, type CelValue, DictionaryMap } from "../values/cel-value";
import type { Steps } from "../values/equality";
import { fail } from "../values/evaluation-error";
import { type UrlParts, UrlValue } from "../values/opaque-values";
import { fn, method, type Overload, parsing } from "./overload";

const SHAPE = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?]*))?([^?]*)(?:\?(.*))?$/s;
const AUTHORITY =
  /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:%@]*@)?(\[[0-9a-fA-F:.]+(?:%25[^\]]*)?\]|[^\s"<>[\]\\^`{|}:/?#]*)(?::(\d*))?$/;
const BROKEN_ESCAPE = /%(?![0-9a-fA-F]{2})/;
const CONTROL = /(?![\u0080-\u009f])\p{Cc}/u;
/** Matches the characters that are escaped in a path. */
const UNESCAPED_PATH = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/[\]%]/gu;

function partsOf(text: string): UrlParts | undefined {
  const match = text === "" || CONTROL.test(text) ? null : SHAPE.exec(text);
  if (match === null) return undefined;
  const [, scheme = "", authority, path = "", query = ""] = match;
  if (scheme === "" && !text.startsWith("/")) return undefined;
  if (BROKEN_ESCAPE.test(path)) return undefined;
  const own = authority === undefined ? undefined : AUTHORITY.exec(authority);
  if (own === null || (authority !== undefined && authority.length > 4096)) return undefined;
  const [, name = "", port = ""] = own ?? [];
  const host = own?.[2] === undefined ? name : `${name}:${port}`;
  const hostname = name.startsWith("[") ? name.slice(1, -1) : name;
  return {
    text,
    scheme: scheme.toLowerCase(),
    host,
    hostname,
    port,
    path: authority === undefined && !path.startsWith("/") ? "" : path,
    query,
  };
}

export const isUrl = (text: string): boolean => partsOf(text) !== undefined;

const url = (text: string): UrlValue =>
  new UrlValue(partsOf(text) ?? fail(`URL parse error during conversion from string: ${text.slice(0, 256)}`));

function queryOf(query: string, steps: Steps): CelValue {
  const values = new Map<string, string[]>();
  for (const pair of query.split("&")) {
    steps.step(10);
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const name = decoded(equals < 0 ? pair : pair.slice(0, equals));
    const value = decoded(equals < 0 ? "" : pair.slice(equals + 1));
    if (name === undefined || value === undefined) continue;
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return (
    DictionaryMap.of(Array.from(values, ([name, all]) => [name, new ArrayList(all)] as const)) ?? fail("invalid query")
  );
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

const READS = reads(0);
const part = (name: string, of: (parts: UrlParts) => string): Overload =>
  method(`URL.${name}(): string`, CONSTANT, ({ parts }: UrlValue) => of(parts));

export const URLS: readonly Overload[] = [
  fn("url(string): URL", READS, parsing(30, url)),
  fn("isURL(string): bool", READS, parsing(30, isUrl)),
  part("getScheme", ({ scheme }) => scheme),
  part("getHost", ({ host }) => host),
  part("getHostname", ({ hostname }) => hostname),
  part("getPort", ({ port }) => port),
  part("getEscapedPath", ({ path }) =>
    path.replace(UNESCAPED_PATH, (character) => encodeURIComponent(character.replace(/[\ud800-\udfff]/gu, "\ufffd"))),
  ),
  method("URL.getQuery(): map<string, list<string>>", CONSTANT, ({ parts }: UrlValue, steps: Steps) =>
    queryOf(parts.query, steps),
  ),
];
