import { arrayText } from '../../database/array-text.ts';
import type { Rows } from '../../database/database.ts';

/** A message in a channel with slow mode, of someone whom it holds. */
interface Turn {
  channelId: string;
  authorId: string;
  slowModeSeconds: number;
}

/** Someone has written in a channel with slow mode too short a time ago. */
export class TooSoon extends Error {
  /** How long they still have to wait. */
  readonly seconds: number;

  constructor(seconds: number) {
    super('Slow mode holds its author.');
    this.seconds = seconds;
  }
}

/** The turns that are asked for, and how long each has still to wait, by PostgreSQL's clock. */
const asked = `WITH turn AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::int[]) AS turn (channel_id, user_id, seconds)
  ), early AS (
    SELECT turn.seconds - extract(epoch FROM clock_timestamp() - last.sent_at)::float8 AS seconds
    FROM turn JOIN slow_mode_turns last USING (channel_id, user_id)
    WHERE last.sent_at > clock_timestamp() - make_interval(secs => turn.seconds)
  )`;
const waits = `${asked} SELECT seconds FROM early`;
const take = `${asked}, taken AS (
    INSERT INTO slow_mode_turns (channel_id, user_id, sent_at) SELECT channel_id, user_id, clock_timestamp() FROM turn
    ON CONFLICT (channel_id, user_id) DO UPDATE SET sent_at = excluded.sent_at
  ) SELECT seconds FROM early`;
const forget = `DELETE FROM slow_mode_turns WHERE (channel_id, user_id) IN (
    SELECT channel_id, user_id FROM slow_mode_turns WHERE sent_at < now() - interval '6 hours' ORDER BY sent_at LIMIT 500
  ) RETURNING 1 AS one`;

const valuesOf = (turns: Turn[]) => [
  arrayText('uuid', turns, ({ channelId }) => channelId),
  arrayText('uuid', turns, ({ authorId }) => authorId),
  arrayText('int', turns, ({ slowModeSeconds }) => slowModeSeconds),
];

function refuseEarly(found: { seconds: number }[]): void {
  if (found.length > 0) throw new TooSoon(Math.max(...found.map(({ seconds }) => seconds)));
}

/** @throws TooSoon for someone who has to wait; whoever need not may still be overtaken by another message of theirs */
export async function requireTurn(rows: Rows, turn: Turn): Promise<void> {
  refuseEarly(await rows<{ seconds: number }>(waits, valuesOf([turn])));
}

/**
 * Uses the turns of the authors of these messages, whose channels' logs must be locked: of several that are sent at once,
 * over whichever nodes, one gets it. What is rolled back has used none. @throws TooSoon
 */
export async function takeTurns(
  rows: Rows,
  added: { channelId: string; authorId: string; slowModeSeconds: number | null }[],
): Promise<void> {
  const turns = added.flatMap(({ channelId, authorId, slowModeSeconds }) =>
    slowModeSeconds === null ? [] : [{ channelId, authorId, slowModeSeconds }],
  );
  if (turns.length === 0) return;
  const authors = new Set(turns.map(({ channelId, authorId }) => `${channelId} ${authorId}`));
  const [first] = turns;
  if (first && authors.size < turns.length) throw new TooSoon(first.slowModeSeconds);
  refuseEarly(await rows<{ seconds: number }>(take, valuesOf(turns)));
}

/** Forgets some turns that hold nobody any more. @returns how many */
export async function forgetTurns(rows: Rows): Promise<number> {
  return (await rows(forget, [])).length;
}
