// Formats of values that newer releases restrict, as data of a kind. A kind lists the paths of its values; the check of
// `formats/strict-formats.ts` applies the restriction of the release, and lets an update keep the values that the
// stored object has. A value that is no address, range or selector at all is left to the rules of the kind, which
// reject it in every release.

/**
 * An IP address, a CIDR, a label selector or a node selector term, whose values are label values, or the name of an API
 * group.
 */
export type StrictFormat = "address" | "range" | "selector" | "nodeTerm" | "apiGroup";

/** Formats by path; `[]` stands for the items of a list: `spec.externalIPs[]`. */
export type StrictFormats = Readonly<Record<string, StrictFormat>>;
