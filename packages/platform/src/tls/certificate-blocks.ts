// Certificates in a text, as files and settings hold them: several, with anything between them. Source: RFC 7468.

const CERTIFICATE = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/** @returns the PEM of each, which may be damaged within */
export const certificateBlocks = (text: string): readonly string[] => text.match(CERTIFICATE) ?? [];
