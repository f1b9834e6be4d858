// A token may stand in the query, for clients that cannot send headers. It is nobody's to read afterwards.

const TOKEN = /([?&](?:access_token|token)=)[^&#]*/gi;

export const withoutSecrets = (uri: string): string => (uri.includes("token") ? uri.replace(TOKEN, "$1REDACTED") : uri);
