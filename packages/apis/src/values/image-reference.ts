// Names of images: `[domain[:port]/]path[:tag][@digest]`. Source: the field's grammar of image references.

/** Whether the name stands for the newest image: it says so, or neither tag nor digest says otherwise. False for what is no name. */
export function isLatestImage(name: string): boolean {
  if (name.length > NAME_MAX) return false;
  const match = REFERENCE.exec(name);
  if (match === null || DIGEST_ALONE.test(name)) return false;
  const [, tag, digest] = match;
  return tag === undefined ? digest === undefined : tag === "latest";
}

/** Far more than a name (255), a tag (128) and a digest can take. */
const NAME_MAX = 1024;

const WORD = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
/** Without a dot or a port it is the first part of a path, unless it is this machine. */
const DOMAIN = `(?:${WORD}(?:\\.${WORD})+(?::\\d+)?|${WORD}:\\d+|localhost)`;
const PATH_PART = "[a-z0-9]+(?:(?:\\.|__|_|-+)[a-z0-9]+)*";
const TAG = "\\w[\\w.-]{0,127}";
const DIGEST = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";
const REFERENCE = new RegExp(`^(?:${DOMAIN}/)?${PATH_PART}(?:/${PATH_PART})*(?::(${TAG}))?(?:@(${DIGEST}))?$`);
/** Would be taken for the image's identity. */
const DIGEST_ALONE = /^[a-f0-9]{64}$/;
