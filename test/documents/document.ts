import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
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

/** Compiles the schemas of a document, the same one once. */
interface Compiler {
  ajv: Ajv2020;
  done: Map<string, ValidateFunction>;
}

const compilers = new WeakMap<object, Compiler>();

/** Compiles a JSON Schema of a document, with all that it refers to. */
export function compiled(schema: Loose, document: Loose): ValidateFunction {
  const compiler = compilers.get(document) ?? compilerFor(document);
  compilers.set(document, compiler);
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
  const validate = compiler.done.get(text) ?? compiler.ajv.compile(JSON.parse(text));
  compiler.done.set(text, validate);
  return validate;
}

function compilerFor(document: Loose): Compiler {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  return { ajv: ajv.addSchema(document, 'document'), done: new Map() };
}

/** The examples of a media type. */
export function examplesIn({ example, examples = {} }: Loose, document: Loose): Loose[] {
  const named = Object.values<Loose>(examples).map((each) => (each.$ref ? target(document, each.$ref) : each).value);
  return example === undefined ? named : [example, ...named];
}
