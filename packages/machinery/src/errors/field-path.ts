// Field paths as plain strings, as in Status causes: `spec.containers[0].name`, `metadata.labels[key]`.

/**
 * Appends field names: `child("spec", "template", "metadata")` is `spec.template.metadata`. With an empty path it
 * returns the names alone.
 */
export function child(path: string, ...names: readonly string[]): string {
  const below = names.join(".");
  return path === "" ? below : `${path}.${below}`;
}

export const index = (path: string, position: number): string => `${path}[${position}]`;

export const key = (path: string, name: string): string => `${path}[${name}]`;
