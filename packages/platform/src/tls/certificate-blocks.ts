// Certificates in a PEM text with arbitrary text between them. Source: RFC 7468.

const CERTIFICATE = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/** Returns the PEM blocks, whose content may be damaged. */
export const certificateBlocks = (text: string): readonly string[] => text.match(CERTIFICATE) ?? [];
