import { NIL } from 'uuid';
import type { Message } from '../../languages/catalogue.ts';

/** A list in the export, read page by page. */
export interface Section {
  /** Of its files. */
  name: string;
  title: Message;
  /** Where the first page begins. */
  start: string;
  /** $1 user, $2 `cursor` of the last row before, $3 how many rows; ordered by `cursor`, which no file has. */
  statement: string;
}

/** @param columns SQL, with the names that files have; times end in `At` or `Until` */
export function section(name: string, title: Message, columns: string, from: string, key: string): Section {
  const statement = `SELECT ${key} AS cursor, ${columns} FROM ${from} AND ${key} > $2::uuid ORDER BY ${key} LIMIT $3`;
  return { name, title, start: NIL, statement };
}

/** The same where no id orders the rows. @param key SQL of a text */
export function textSection(name: string, title: Message, columns: string, from: string, key: string): Section {
  const cursor = `(${key}) COLLATE "C"`;
  const statement = `SELECT ${cursor} AS cursor, ${columns} FROM ${from} AND ${cursor} > $2 ORDER BY ${cursor} LIMIT $3`;
  return { name, title, start: '', statement };
}
