// nodes: own

import { expect } from 'chai';
import pg from 'pg';
import { arrayOf, arrayText, type ElementType, textsOfJson } from '../../src/database/array-text.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';

type Value = string | number | null;

describe('lists as parameters', () => {
  let place: TestDatabase;
  let client: pg.Client;
  before(async () => {
    place = await createDatabase();
    client = new pg.Client(place.url);
    await client.connect();
  });
  after(async () => {
    await client.end();
    await place.drop();
  });

  /** What PostgreSQL makes of them, as text. */
  const read = async (type: ElementType, values: Value[], list = arrayOf(type, '$1')): Promise<Value[]> => {
    const text = `SELECT value::text FROM unnest(${list}) AS value`;
    const { rows } = await client.query<{ value: Value }>(text, [arrayText(type, values, (value) => value)]);
    return rows.map(({ value }) => value);
  };

  it('of texts come through whatever is in them', async () => {
    const texts = [
      '',
      ' ',
      'NULL',
      'null',
      '{',
      '}',
      ',',
      '"',
      '\\',
      '\\"',
      '\\\\',
      "'",
      '\n\t\r',
      '\x1e',
      'ä漢字👩‍👩‍👧',
      '{"a":1}',
    ];
    const values = [...texts, null, texts.join('')];
    expect(await read('text', values)).to.deep.equal(values);
  });

  it('of JSON come through, as JSON and as text', async () => {
    const objects = [{}, { a: 'quotes " and \\ and \n and \x1e' }, { 漢: ['"', '\\"', null] }, '\x1e', ''];
    const values = objects.map((value) => JSON.stringify(value));
    expect(await read('json', values)).to.deep.equal(values);
    expect(await read('json', values, textsOfJson('$1'))).to.deep.equal(values);
    expect(await read('json', [null, ...values, null])).to.deep.equal([null, ...values, null]);
    expect(await read('json', [null, null])).to.deep.equal([null, null]);
  });

  it('of ids, numbers and times come through', async () => {
    const id = crypto.randomUUID();
    expect(await read('uuid', [id, null, id])).to.deep.equal([id, null, id]);
    expect(await read('int', [0, -1, 2_147_483_647])).to.deep.equal(['0', '-1', '2147483647']);
    const [time] = await read('timestamptz', ['2026-11-22T09:30:00.123Z']);
    expect(new Date(`${time}`).toISOString()).to.equal('2026-11-22T09:30:00.123Z');
  });
});
