// Where a bucket is and how it is reached: options of programs, and URLs of the form s3://bucket/prefix.

export interface S3Options {
  readonly bucket: string;
  /** Beginning of all keys; "" or ending with a slash. */
  readonly prefix: string;
  /** URL of a service that is compatible with S3. Absent: that of AWS for the region. */
  readonly endpoint?: string | undefined;
  /** Absent: that of the environment, else us-east-1. */
  readonly region?: string | undefined;
  /**
   * File with an access key, in the format of the AWS CLI, profile `default`. Read for every backup. Absent: the
   * environment, the files of the AWS CLI, or the identity of the machine.
   */
  readonly credentialsFile?: string | undefined;
  /** PEM file with the authorities of the endpoint's certificate. Absent: those of the system. */
  readonly caFile?: string | undefined;
  /** Whether the bucket is a part of the path, and not of the host name. */
  readonly isPathStyle: boolean;
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX_MAX = 512;
/** Control characters and other characters that services and tools treat differently. */
const ODD = /[^\w!.*'()\-/=+@]/;

/** @returns the rule that a name breaks; undefined for a valid name */
export const bucketProblem = (bucket: string): string | undefined =>
  BUCKET.test(bucket)
    ? undefined
    : `${JSON.stringify(bucket)} is not a name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens`;

/** @returns the rule that a prefix breaks; undefined for a valid prefix */
export function prefixProblem(prefix: string): string | undefined {
  if (prefix.length > PREFIX_MAX) return `must have at most ${PREFIX_MAX} characters`;
  if (prefix.startsWith("/") || prefix.includes("//"))
    return `${JSON.stringify(prefix)} has an empty part: remove a slash`;
  if (prefix.split("/").some((part) => part === "." || part === ".."))
    return `${JSON.stringify(prefix)} has a part "." or "..": remove it`;
  const [odd] = ODD.exec(prefix) ?? [];
  return odd === undefined
    ? undefined
    : `${JSON.stringify(prefix)} contains ${JSON.stringify(odd)}: use letters, digits, slashes and -_.!*'()=+@`;
}

/** @returns the rule that a URL breaks; undefined for a valid endpoint */
export function endpointProblem(endpoint: string): string | undefined {
  if (!/^https?:\/\/[^/]/.test(endpoint) || !URL.canParse(endpoint)) {
    return "is not a URL: use https://HOST or https://HOST:PORT";
  }
  const url = new URL(endpoint);
  if (url.username !== "" || url.password !== "") return "contains credentials: put them in the credentials file";
  if (url.search !== "" || url.hash !== "") return "must have no query and no fragment";
  return undefined;
}

/** Ends a prefix with a slash, so that it names a folder. */
export const asFolder = (prefix: string): string => (prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`);

export interface S3Place {
  readonly bucket: string;
  /** Key, or beginning of keys when it ends with a slash or is empty. */
  readonly path: string;
}

export const isS3Url = (text: string): boolean => /^s3:\/\//i.test(text);

/** Reads `s3://bucket/path`. @throws Error that names the rule */
export function readS3Url(text: string): S3Place {
  const [, bucket = "", path = ""] = /^s3:\/\/([^/]*)\/?(.*)$/is.exec(text) ?? [];
  const problem = bucketProblem(bucket) ?? prefixProblem(path);
  if (problem !== undefined) throw new Error(`${JSON.stringify(text.slice(0, 200))}: ${problem}`);
  return { bucket, path };
}
