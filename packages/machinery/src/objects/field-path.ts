// Paths of fields as Status causes spell them: `spec.containers[0].name`, `metadata.labels[key]`. Plain strings.

/** `child("spec", "template", "metadata")` is `spec.template.metadata`; of "" it is the field itself. */
export function child(path: string, ...names: readonly string[]): string {
  const below = names.join(".");
  return path === "" ? below : `${path}.${below}`;
}

export const index = (path: string, position: number): string => `${path}[${position}]`;

export const key = (path: string, name: string): string => `${path}[${name}]`;
