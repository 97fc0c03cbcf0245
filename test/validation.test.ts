import { expect } from 'chai';
import { z } from 'zod';
import { AppError, type Issue } from '../src/errors.ts';
import { nameSchema, textSchema } from '../src/schema.ts';
import { validated } from '../src/validation.ts';

/** What is said against a value; nothing: it fits. */
function issues(schema: z.ZodType, value: unknown): Issue[] {
  try {
    validated(schema, value);
    return [];
  } catch (error) {
    if (error instanceof AppError && error.code === 'VALIDATION_FAILED') return error.issues ?? [];
    throw error;
  }
}

describe('validation', () => {
  it('gives what the schema makes of the value', () => {
    expect(validated(z.object({ name: nameSchema(5) }), { name: ' me ', more: 1 })).to.deep.equal({ name: 'me' });
  });

  it('names every place that is wrong, by its path', () => {
    const schema = z.object({ a: z.number(), b: z.array(z.object({ c: z.string() })) });
    const found = issues(schema, { a: 'x', b: [{ c: 'y' }, { c: 1 }] });
    expect(found.map(({ path }) => path)).to.deep.equal(['a', 'b.1.c']);
  });

  it('says no more than fifty things at once', () => {
    expect(
      issues(
        z.array(z.string()),
        Array.from({ length: 100_000 }, () => 0),
      ),
    ).to.have.lengthOf(50);
  });

  it('refuses U+0000 and lone surrogates in values and keys, however deep, and nesting without end', () => {
    const any = z.unknown();
    for (const bad of ['\0', 'a\0b', '\ud800', '\udc00', 'a\ud83d']) {
      expect(issues(any, bad)).to.have.lengthOf(1);
      expect(issues(any, { a: [{ b: bad }] })[0]?.path).to.equal('a.0.b');
      expect(issues(any, { [bad]: 1 })).to.have.lengthOf(1);
    }
    expect(issues(any, '👍 \u{1F469}\u200d\u{1F469}')).to.deep.equal([]);
    let deep: unknown = 1;
    for (let i = 0; i < 10_000; i++) deep = [deep];
    expect(issues(any, deep)[0]?.message).to.contain('nested');
  });

  it('looks through large bodies without keeping everyone else waiting', () => {
    const values = Array.from({ length: 1_000_000 }, () => 0);
    for (const value of [values, values.map(String), values.map(() => []), Buffer.alloc(2_000_000)]) {
      const started = performance.now();
      expect(issues(z.unknown(), { value })).to.deep.equal([]);
      expect(performance.now() - started).to.be.lessThan(250);
    }
  });

  it('counts characters as clients do, in UTF-16 units', () => {
    const schema = textSchema(4);
    for (const fits of ['', 'four', '👍👍', 'e\u0301e\u0301']) expect(issues(schema, fits), fits).to.deep.equal([]);
    for (const long of ['fiveX', '👍👍a', '👍👍👍👍', '👍👍👍👍👍'])
      expect(issues(schema, long), long).to.have.lengthOf(1);
    expect(issues(nameSchema(4), ' 👍👍 ')).to.deep.equal([]);
    expect(issues(nameSchema(4), '   ')).to.have.lengthOf(1);
    expect(issues(nameSchema(4), '👍👍👍')).to.have.lengthOf(1);
  });
});
