// The shape of every table in this folder: by a neutral id, the name in either vocabulary.
export type IdentifierTable = { readonly [id: string]: readonly [orch: string, kubernetes: string] };
