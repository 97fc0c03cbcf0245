// nodes: own
// alone

import { expect } from 'chai';
import { z } from 'zod';
import { AppError, type Issue } from '../../src/contract/errors.ts';
import { validated } from '../../src/contract/schema/validation.ts';
import { isoTime, limitSchema, nameSchema, textSchema } from '../../src/contract/schema.ts';

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
    expect(validated(z.object({ name: nameSchema(5) }), { name: ' me ', more: 1 })).to.deep.equal({ name: ' me ' });
  });

  it('takes any line for a name, and nothing that is more than a line or that nobody sees', () => {
    const schema = nameSchema(100);
    const family = '\u{1F469}\u200d\u{1F469}\u200d\u{1F467}';
    const flag = '\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}';
    const lines = ['a b', family, flag, '❤️', 'שלום', 'می\u200cخواهم', 'क्\u200dष', '١٢٣', 'e\u0301'];
    for (const line of lines) expect(validated(schema, line)).to.equal(line);
    for (const bad of ['a\nb', 'a\n', 'a\rb', 'a\u2028b', 'a\tb', 'a\u0007b', '\u001b[31mred', 'a\u0085b']) {
      const message = 'must not contain line breaks or control characters';
      expect(issues(schema, bad), JSON.stringify(bad)).to.deep.equal([{ path: '', message, code: 'custom' }]);
    }
    for (const bad of ['', ' \n', '\u200b', '\u200d\ufe0f\u3164']) {
      expect(issues(schema, bad).map(({ message }) => message)).to.deep.equal(['must not be empty']);
    }
  });

  it('names every place that is wrong, by its path', () => {
    const schema = z.object({ a: z.number(), b: z.array(z.object({ c: z.string() })) });
    const found = issues(schema, { a: 'x', b: [{ c: 'y' }, { c: 1 }] });
    expect(found.map(({ path }) => path)).to.deep.equal(['a', 'b.1.c']);
  });

  it('says what is asked for, in words for people', () => {
    const said = (schema: z.ZodType, value: unknown) =>
      issues(schema, value).map(({ path, message }) => [path, message]);
    const schema = z.object({
      a: z.string(),
      b: z.number(),
      c: z.enum(['x', 'y']),
      d: z.array(z.boolean()).min(2),
      e: z.string().min(3),
      limit: limitSchema(100, 50),
    });
    expect(said(schema, { b: '1', c: 'z', d: [true], e: '', limit: '0' })).to.deep.equal([
      ['a', 'is missing'],
      ['b', 'must be a number'],
      ['c', 'must be one of "x", "y"'],
      ['d', 'must have at least 2 items'],
      ['e', 'must have at least 3 characters'],
      ['limit', 'must be at least 1'],
    ]);
    for (const [limit, message] of [
      ['101', 'must be at most 100'],
      ['1.5', 'must be a whole number'],
      ['many', 'must be a number'],
      ['', 'must be a number'],
      [' ', 'must be a number'],
      ['0x10', 'must be a number'],
      ['1e1', 'must be a number'],
      ['Infinity', 'must be a number'],
    ]) {
      expect(said(z.object({ limit: limitSchema(100, 50) }), { limit })).to.deep.equal([['limit', message]]);
    }
    expect(said(z.object({}), 'text')).to.deep.equal([['', 'must be an object']]);
  });

  it('says of a choice of forms what is wrong with the one that was meant', () => {
    const one = z.object({ id: z.string(), config: z.record(z.string(), z.unknown()).optional() });
    const either = z.object({ body: z.union([z.object({ all: z.array(one) }), one]) });
    const places = (body: unknown) => issues(either, { body }).map(({ path }) => path);
    expect(places({ id: 'x', config: [] })).to.deep.equal(['body.config']);
    expect(places({ all: [{ id: 'x', config: 1 }] })).to.deep.equal(['body.all.0.config']);
    expect(issues(z.union([z.string(), z.number()]), true)).to.have.lengthOf(1);
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
    for (const value of [values, values.map(String), values.map(() => [])]) {
      // Its own time, not what others on the machine take.
      const before = process.threadCpuUsage();
      expect(issues(z.unknown(), { value })).to.deep.equal([]);
      const { user, system } = process.threadCpuUsage(before);
      expect((user + system) / 1000).to.be.lessThan(250);
    }
  });

  it('refuses bytes, which JSON would keep as something else', () => {
    for (const bytes of [Buffer.alloc(2_000_000), new Uint8Array(1)])
      expect(issues(z.unknown(), { deep: [bytes] })[0]).to.include({ path: 'deep.0' });
  });

  it('counts characters as clients do, in UTF-16 units', () => {
    const schema = textSchema(4);
    for (const fits of ['', 'four', '👍👍', 'e\u0301e\u0301']) expect(issues(schema, fits), fits).to.deep.equal([]);
    for (const long of ['fiveX', '👍👍a', '👍👍👍👍', '👍👍👍👍👍'])
      expect(issues(schema, long), long).to.have.lengthOf(1);
    expect(issues(nameSchema(4), '👍👍')).to.deep.equal([]);
    expect(issues(nameSchema(4), '   ')).to.have.lengthOf(1);
    expect(issues(nameSchema(4), '👍👍👍')).to.have.lengthOf(1);
  });
});

describe('times in records', () => {
  it('have milliseconds and are in UTC, in whatever form and zone PostgreSQL gives them', () => {
    const forms = {
      '2026-01-31 12:00:00+00': '2026-01-31T12:00:00.000Z',
      '2026-01-31 12:00:00.1+00': '2026-01-31T12:00:00.100Z',
      '2026-01-31 12:00:00.12+00': '2026-01-31T12:00:00.120Z',
      '2026-01-31 12:00:00.123456+00': '2026-01-31T12:00:00.123Z',
      '2026-01-31 17:30:00.1+05:30': '2026-01-31T12:00:00.100Z',
      '2026-01-31 04:00:00-08': '2026-01-31T12:00:00.000Z',
      '2026-01-31T12:00:00.123Z': '2026-01-31T12:00:00.123Z',
    };
    for (const [text, shown] of Object.entries(forms)) expect(isoTime(text), text).to.equal(shown);
    expect(isoTime(new Date('2026-01-31T12:00:00Z'))).to.equal('2026-01-31T12:00:00.000Z');
  });
});
