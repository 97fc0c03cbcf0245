/**
 * Into how many partitions `messages` is divided by the hash of the channel. Each statement that finds a message by its
 * id alone looks into all of them: with 16, finding one took 2.5 times as long, with 4 a quarter more.
 */
export const partitions = 4;

/** The columns that a copy fills, in the order of the table. */
export const selectColumns = `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0
  AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`;

/** All columns of table $1 with what they are, so that a change of one shows. */
export const selectForm = `SELECT concat_ws(' ', attname, format_type(atttypid, atttypmod), attcollation, attnotnull,
    attgenerated, pg_get_expr(adbin, adrelid)) AS column
  FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`;

/** The indexes of table $1, apart from those on the id and on the number, which take turns as the primary key. */
export const selectIndexes = `SELECT c.relname AS name, pg_get_indexdef(c.oid) AS definition
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE i.indrelid = $1::regclass AND NOT i.indisprimary AND c.relname NOT IN ('messages_channel_seq', 'new_messages_id')
  ORDER BY 1`;

/** Whether `messages` is partitioned, and whether a move was begun. */
export const selectState = `SELECT (SELECT relkind = 'p' FROM pg_class WHERE oid = 'messages'::regclass) AS done,
  to_regclass('messages_move') IS NOT NULL AS begun`;

const list = (columns: string[]) => columns.join(', ');

/** An index of the same kind on the new table, under a name of its own until the old one is gone. */
const copied = ({ name, definition }: Index) =>
  definition.replace(/INDEX \S+ ON \S+ /, `INDEX ${newName(name)} ON messages_new `);
const newName = (index: string): string => `new_${index}`;
/** What an index is, apart from its name and table. */
export const kindOf = ({ definition }: Index): string => definition.replace(/INDEX \S+ ON .*?USING/, 'INDEX USING');

export interface Index {
  name: string;
  definition: string;
}

/**
 * The new table beside the old one, empty, with all indexes, and the trigger by which it follows the old one. Ids are
 * random, so one index finds them; what is unique in a channel stays so.
 */
export const beginning = (columns: string[], indexes: Index[]): string[] => [
  `CREATE TABLE messages_new (LIKE messages INCLUDING DEFAULTS INCLUDING GENERATED,
     CONSTRAINT new_messages_channel_seq PRIMARY KEY (channel_id, seq)) PARTITION BY HASH (channel_id)`,
  ...Array.from(
    { length: partitions },
    (_, at) => `CREATE TABLE messages_${at} PARTITION OF messages_new
      FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${at})`,
  ),
  'CREATE INDEX new_messages_id ON messages_new (id)',
  ...indexes.map(copied),
  'CREATE TABLE messages_move (phase text NOT NULL, channel_id uuid NOT NULL, seq bigint NOT NULL, moved bigint NOT NULL)',
  `INSERT INTO messages_move VALUES ('copying', '${zero}', 0, 0)`,
  `CREATE FUNCTION carry_message() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
     IF tg_op = 'DELETE' THEN
       DELETE FROM messages_new WHERE channel_id = old.channel_id AND seq = old.seq;
       RETURN NULL;
     END IF;
     INSERT INTO messages_new (${list(columns)}) VALUES (${list(columns.map((name) => `new.${name}`))})
     ON CONFLICT (channel_id, seq) DO UPDATE SET ${list(settable(columns).map((name) => `${name} = excluded.${name}`))};
     RETURN NULL; END $$`,
  // It waits for everyone who is writing; from then on no one writes without it.
  `CREATE TRIGGER carry_message AFTER INSERT OR UPDATE OR DELETE ON messages
     FOR EACH ROW EXECUTE FUNCTION carry_message()`,
];

const zero = '00000000-0000-0000-0000-000000000000';
const settable = (columns: string[]) => columns.filter((name) => name !== 'channel_id' && name !== 'seq');

/** Undoes the beginning. */
export const abandoning = [
  'DROP TRIGGER IF EXISTS carry_message ON messages',
  'DROP FUNCTION IF EXISTS carry_message()',
  'DROP TABLE IF EXISTS messages_new, messages_move',
];

/**
 * Copies the next $3 messages after channel $1, number $2. Rows that are being deleted are waited for and left out; those
 * that are copied stay until the commit, so a deletion finds its copy. Changes wait for nothing: the trigger writes the
 * whole row, and the copy that comes later leaves it. One that comes before is replaced. Fewer than $3 are the last ones, and
 * nothing is returned: later ones are carried over by the trigger, however many there are.
 */
export const copySome = (columns: string[]): string => `WITH batch AS MATERIALIZED (
    SELECT ${list(columns)} FROM messages WHERE (channel_id, seq) > ($1::uuid, $2::bigint)
    ORDER BY channel_id, seq LIMIT $3 FOR KEY SHARE
  ), put AS (
    INSERT INTO messages_new (${list(columns)}) SELECT ${list(columns)} FROM batch ON CONFLICT (channel_id, seq) DO NOTHING
  )
  SELECT channel_id AS "channelId", seq FROM batch ORDER BY channel_id, seq OFFSET $3 - 1`;

/**
 * Compares the next $3 messages after channel $1, number $2; `differing` counts those that are not the same in both
 * tables, or only in one. Fewer than $3 are the last ones: after them nothing may be in the new table either.
 */
export const compareSome = (columns: string[]): string => `WITH batch AS MATERIALIZED (
    SELECT channel_id, seq FROM messages WHERE (channel_id, seq) > ($1::uuid, $2::bigint) ORDER BY channel_id, seq LIMIT $3
  ), last AS (SELECT channel_id, seq FROM batch ORDER BY channel_id, seq OFFSET $3 - 1)
  SELECT last.channel_id AS "channelId", last.seq, (
    SELECT count(*)::int FROM (${rowsUpTo('messages', columns)}) AS was
    FULL JOIN (${rowsUpTo('messages_new', columns)}) AS is_now USING (channel_id, seq)
    WHERE was::text IS DISTINCT FROM is_now::text) AS differing
  FROM (SELECT) AS one LEFT JOIN last ON true`;

const rowsUpTo = (table: string, columns: string[]) => `SELECT ${list(columns)} FROM ${table}
  WHERE (channel_id, seq) > ($1::uuid, $2::bigint)
    AND (channel_id, seq) <= (coalesce((SELECT channel_id FROM last), 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
      coalesce((SELECT seq FROM last), ${Number.MAX_SAFE_INTEGER}))`;

export const readCursor = `SELECT phase, channel_id AS "channelId", seq, moved FROM messages_move`;
export const moveCursor = 'UPDATE messages_move SET channel_id = $1, seq = $2, moved = moved + $3';
export const startComparing = `UPDATE messages_move SET phase = 'comparing', channel_id = '${zero}', seq = 0, moved = 0`;

/** Merges the words of copied messages into the search indexes (see SearchIndex). */
export const mergeCopied = `SELECT gin_clean_pending_list(c.oid) FROM pg_inherits p
  JOIN pg_index i ON i.indrelid = p.inhrelid JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
  WHERE p.inhparent = 'messages_new'::regclass AND a.amname = 'gin'`;

/** Whether a transaction is older than $1: its snapshot may not have the copies, and it may still read all messages. */
export const isOlderSnapshot = `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
  AND backend_type = 'client backend' AND pid <> pg_backend_pid() AND age(backend_xmin) > age($1::xid)) AS found`;

/** Puts the new table into the place of the old one, with its triggers. A trigger releases what referred to messages by their ids. */
export const exchange = (indexes: Index[]): string[] => [
  'DROP TRIGGER carry_message ON messages',
  'DROP FUNCTION carry_message()',
  `CREATE TEMPORARY TABLE kept_triggers ON COMMIT DROP AS SELECT pg_get_triggerdef(oid) AS definition FROM pg_trigger
     WHERE tgrelid = 'messages'::regclass AND NOT tgisinternal`,
  'ALTER TABLE reactions DROP CONSTRAINT reactions_message_id_foreign',
  'ALTER TABLE attachments DROP CONSTRAINT attachments_message_id_foreign',
  'DROP TABLE messages',
  'DROP TABLE messages_move',
  'ALTER TABLE messages_new RENAME TO messages',
  'ALTER TABLE messages RENAME CONSTRAINT new_messages_channel_seq TO messages_channel_seq',
  'ALTER INDEX new_messages_id RENAME TO messages_id',
  ...indexes.map(({ name }) => `ALTER INDEX ${newName(name)} RENAME TO ${name}`),
  `CREATE FUNCTION release_messages() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
     DELETE FROM reactions WHERE message_id IN (SELECT id FROM gone);
     UPDATE attachments SET message_id = NULL WHERE message_id IN (SELECT id FROM gone);
     RETURN NULL; END $$`,
  `CREATE TRIGGER release_messages AFTER DELETE ON messages REFERENCING OLD TABLE AS gone
     FOR EACH STATEMENT EXECUTE FUNCTION release_messages()`,
  `DO $$ DECLARE kept text; BEGIN
     FOR kept IN SELECT definition FROM kept_triggers LOOP EXECUTE kept; END LOOP; END $$`,
];
