import type { Form } from '../../contract/component.ts';
import {
  answerHours,
  type InteractionRecord,
  maxAnswers,
  type UseState,
  type Values,
} from '../../contract/interaction.ts';
import type { Invoked } from '../../contract/invoked.ts';
import type { Rows } from '../../database/database.ts';
import type { UserColumns } from '../accounts/account.view.ts';

/** A use before it is written. */
export interface NewInteraction {
  id: string;
  kind: InteractionRecord['kind'];
  agentId: string;
  userId: string;
  serverId: string | null;
  channelId: string;
  threadId: string | null;
  messageId: string | null;
  componentId: string | null;
  command: Invoked | null;
  parentId: string | null;
  values: Values;
  nonce: string | null;
}

/** A row of `interactions`. */
export interface InteractionRow extends Omit<NewInteraction, 'nonce'> {
  state: UseState;
  note: string | null;
  form: Form | null;
  createdAt: Date | string;
  updatedAt: Date | string;
  endsAt: Date | string;
  /** How often the state, the note or the form changed. */
  changes: number;
  /** By PostgreSQL's clock. */
  isOver: boolean;
}

/** With the person who did it. */
export type InteractionWithUser = InteractionRow & UserColumns;

/** Between two clicks that are meant as one. */
const doubleSeconds = 1;
/** How long uses are kept. */
const keptDays = 7;

const columns = `i.id, i.kind, i.agent_id AS "agentId", i.user_id AS "userId", i.server_id AS "serverId",
  i.channel_id AS "channelId", i.thread_id AS "threadId", i.message_id AS "messageId", i.component_id AS "componentId",
  i.command, i.parent_id AS "parentId", i.given AS "values", i.state, i.note, i.form, i.changes, i.created_at AS "createdAt",
  i.updated_at AS "updatedAt", i.ends_at AS "endsAt", i.ends_at <= clock_timestamp() AS "isOver"`;
const find = `SELECT ${columns}, u.username, u.display_name, u.avatar_url, u.is_bot
  FROM interactions i JOIN users u ON u.id = i.user_id WHERE i.id = $1`;
const holdChannel = 'SELECT id FROM channels WHERE id = $1 AND deleted_at IS NULL FOR KEY SHARE';
const byNonce = `SELECT ${columns} FROM interactions i
  WHERE i.user_id = $1 AND i.nonce = $2 AND i.created_at > now() - interval '1 day' ORDER BY i.created_at LIMIT 1`;
/** What the same person did there with the same values, and nobody has answered, or only just did. */
const same = `SELECT ${columns} FROM interactions i
  WHERE i.user_id = $1 AND i.created_at > now() - make_interval(hours => ${answerHours})
    AND i.message_id = $2 AND i.component_id = $3 AND i.given::text = $4
    AND (i.state <> 'answered' OR i.created_at > clock_timestamp() - make_interval(secs => ${doubleSeconds}))
  ORDER BY i.created_at DESC LIMIT 1`;
const ofParent = `SELECT ${columns} FROM interactions i WHERE i.parent_id = $1`;
const takeOnce = `INSERT INTO component_uses (id, message_id, component_id, user_id, channel_id, used_at)
  SELECT gen_random_uuid(), $1::uuid, $2::text, $3::uuid, $4::uuid, now() WHERE NOT EXISTS (
    SELECT FROM component_uses WHERE message_id = $1::uuid AND component_id = $2::text AND ($5::boolean OR user_id = $3::uuid))
  RETURNING 1 AS one`;
const insert = `INSERT INTO interactions AS i (id, kind, agent_id, user_id, server_id, channel_id, thread_id, message_id,
    component_id, command, parent_id, given, nonce, created_at, updated_at, ends_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, clock_timestamp(), clock_timestamp(),
    clock_timestamp() + make_interval(hours => ${answerHours})) RETURNING ${columns}`;
const update = `UPDATE interactions AS i SET state = $2, note = $3, form = $4, changes = changes + 1, updated_at = clock_timestamp()
  WHERE i.id = $1 RETURNING ${columns}`;
/** A key counts once. */
const reserve = `UPDATE interactions
  SET answers = CASE WHEN $2::text = ANY(answers) THEN answers ELSE array_append(answers, $2::text) END
  WHERE id = $1 AND ($2::text = ANY(answers) OR cardinality(answers) < ${maxAnswers}) RETURNING 1 AS one`;
const botUser = 'SELECT user_id AS "userId" FROM agents WHERE id = $1';
const open = `SELECT ${columns} FROM interactions i
  WHERE i.user_id = $1 AND i.created_at > now() - make_interval(hours => ${answerHours})
    AND (i.state <> 'answered' OR i.form IS NOT NULL) ORDER BY i.created_at DESC LIMIT 100`;
const forget = `DELETE FROM interactions WHERE id IN (
    SELECT id FROM interactions WHERE created_at < now() - make_interval(days => ${keptDays}) LIMIT 500) RETURNING 1 AS one`;

const json = (value: object | null) => value && JSON.stringify(value);

async function first<R extends object>(found: Promise<R[]>): Promise<R | undefined> {
  return (await found)[0];
}

/** The statements of interactions. */
export const interactionTable = {
  find: (rows: Rows, id: string) => first(rows<InteractionWithUser>(find, [id])),

  /** Keeps a channel until the commit. @returns false: it is gone */
  holdChannel: async (rows: Rows, channelId: string) => (await rows(holdChannel, [channelId])).length > 0,

  /** What someone did with the same nonce within a day. */
  byNonce: (rows: Rows, userId: string, nonce: string) => first(rows<InteractionRow>(byNonce, [userId, nonce])),

  /** What the same use was, if it is one that counts once. The logs of the bot and the person must be locked. */
  same: (rows: Rows, { userId, messageId, componentId, values }: NewInteraction) =>
    first(rows<InteractionRow>(same, [userId, messageId, componentId, JSON.stringify(values)])),

  /** What the form of an answer was sent as. */
  ofParent: (rows: Rows, parentId: string) => first(rows<InteractionRow>(ofParent, [parentId])),

  /**
   * Uses up what can be used once: for everyone, or by each. The bot's log must be locked.
   * @returns false: it was used before
   */
  takeOnce: async (rows: Rows, { messageId, componentId, userId, channelId }: NewInteraction, forAll: boolean) =>
    (await rows(takeOnce, [messageId, componentId, userId, channelId, forAll])).length > 0,

  async insert(rows: Rows, one: NewInteraction): Promise<InteractionRow> {
    const { id, kind, agentId, userId, serverId, channelId, threadId, messageId } = one;
    const values = [
      ...[id, kind, agentId, userId, serverId, channelId, threadId, messageId],
      ...[one.componentId, json(one.command), one.parentId, json(one.values), one.nonce],
    ];
    const row = await first(rows<InteractionRow>(insert, values));
    if (!row) throw new Error('An interaction was not written.');
    return row;
  },

  /** How far the bot is with it. @returns undefined: it is gone */
  update: (rows: Rows, id: string, { state, note, form }: Pick<InteractionRow, 'state' | 'note' | 'form'>) =>
    first(rows<InteractionRow>(update, [id, state, note, json(form)])),

  /** Reserves a reply by its key; the same key again is the same reply. @returns false: there are as many as there may be */
  reserve: async (rows: Rows, id: string, key: string) => (await rows(reserve, [id, key])).length > 0,

  /** The user of an agent. */
  botUser: async (rows: Rows, agentId: string): Promise<string | undefined> =>
    (await first(rows<{ userId: string }>(botUser, [agentId])))?.userId,

  /** Those of a person that no bot is done with, latest first. */
  open: (rows: Rows, userId: string) => rows<InteractionRow>(open, [userId]),

  /** Forgets some old ones. @returns how many */
  forget: async (rows: Rows) => (await rows(forget, [])).length,
};
