/** The first sentence of a summary for lists, and the rest of it for details. */
export function headline(summary: string): { summary: string; description?: string } {
  const end = summary.search(/[.;:] /);
  if (end < 0) return { summary: summary.replace(/\.$/, '') };
  return { summary: summary.slice(0, end), description: summary };
}
