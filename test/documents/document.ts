import { z } from 'zod';
import type { Loose } from '../world/person.ts';

/** Every value under a key anywhere in a document. */
export function* valuesOf(document: Loose, key: string): Generator<Loose> {
  if (typeof document !== 'object' || document === null) return;
  for (const [name, value] of Object.entries(document)) {
    if (name === key) yield value;
    yield* valuesOf(value, key);
  }
}

/** What a reference of a document points at; undefined when it leads nowhere. */
export function target(document: Loose, reference: string): Loose {
  const steps = reference.replace(/^#\//, '').split('/');
  return steps.reduce((at, step) => at?.[step.replaceAll('~1', '/').replaceAll('~0', '~')], document);
}

/** Compiles a JSON Schema of a document, with all that it refers to. */
export function compiled(schema: Loose, document: Loose): z.ZodType {
  const whole = { ...schema, $defs: document.components.schemas };
  const local = JSON.stringify(whole).replaceAll('#/components/schemas/', '#/$defs/');
  return z.fromJSONSchema(JSON.parse(local));
}
