// Image references: `[domain[:port]/]path[:tag][@digest]`. Source: github.com/distribution/reference, reference.go.

/** Returns whether the reference has the tag latest, or neither tag nor digest. False for an invalid reference. */
export function isLatestImage(name: string): boolean {
  if (name.length > NAME_MAX) return false;
  const match = REFERENCE.exec(name);
  if (match === null || DIGEST_ALONE.test(name)) return false;
  const [, tag, digest] = match;
  if (pathOf(name).length > PATH_MAX) return false;
  return tag === undefined ? digest === undefined : tag === "latest";
}

/** Maximum length: far more than a name (255), a tag (128) and a digest can take. */
const NAME_MAX = 1024;

/** Maximum length of the path of an image. */
const PATH_MAX = 255;

/** Returns the path without domain, tag and digest. A path without a slash stands for one below `library/`. */
function pathOf(name: string): string {
  const path = name.replace(/@.*$/, "").replace(/:[^/:]*$/, "");
  const slash = path.indexOf("/");
  if (slash < 0) return `library/${path}`;
  const first = path.slice(0, slash);
  return first.includes(".") || first.includes(":") || first === "localhost" ? path.slice(slash + 1) : path;
}

const WORD = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
/** Domain. Without a dot or a port it is the first part of the path, except localhost. */
const DOMAIN = `(?:${WORD}(?:\\.${WORD})+(?::\\d+)?|${WORD}:\\d+|localhost)`;
const PATH_PART = "[a-z0-9]+(?:(?:\\.|__|_|-+)[a-z0-9]+)*";
const TAG = "\\w[\\w.-]{0,127}";
const DIGEST = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";
const REFERENCE = new RegExp(`^(?:${DOMAIN}/)?${PATH_PART}(?:/${PATH_PART})*(?::(${TAG}))?(?:@(${DIGEST}))?$`);
/** Rejected because it would be taken for an image id. */
const DIGEST_ALONE = /^[a-f0-9]{64}$/;
