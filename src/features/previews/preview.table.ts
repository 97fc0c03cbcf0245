import type { LinkPreview } from '../../contract/link-preview.ts';
import type { Rows } from '../../database/database.ts';
import type { KeptPreview } from '../../database/entities/message.entity.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { Linking } from '../../jobs/preview.jobs.ts';

/** A page that is known, and not for too long. */
export interface KnownPage {
  id: string;
  address: string;
  state: 'waiting' | 'found' | 'none';
  preview: LinkPreview | null;
}

/** A page whose fetching failed for good, with its job, is fetched anew for messages after that. */
const longestWait = "interval '1 hour'";

const known = `SELECT id, address, state, preview FROM link_pages WHERE address = ANY($1::text[]) AND expires_at > now()`;
/** In one order, so that no two of these changes deadlock. */
const begin = `INSERT INTO link_pages AS l (id, address, state, expires_at)
  SELECT id, address, 'waiting', now() + ${longestWait} FROM unnest($1::uuid[], $2::text[]) AS page (id, address)
  ORDER BY address
  ON CONFLICT (address) DO UPDATE SET state = 'waiting', preview = NULL, expires_at = excluded.expires_at
    WHERE l.expires_at <= now()
  RETURNING address`;
/** Who gets these locks before a page is settled is told of it; who gets them after it reads what was found. */
const lock = `${known} ORDER BY address FOR SHARE`;
const wait = `INSERT INTO link_page_waits (page_id, message_id, channel_id)
  SELECT id, $2, $3 FROM unnest($1::uuid[]) AS id ORDER BY id ON CONFLICT DO NOTHING`;
const settle = `UPDATE link_pages SET state = $2, preview = $3::json, expires_at = now() + make_interval(secs => $4)
  WHERE address = $1 AND state = 'waiting' RETURNING id`;
const endWaits = `DELETE FROM link_page_waits WHERE page_id = $1
  RETURNING message_id AS "messageId", channel_id AS "channelId"`;
const forget = `DELETE FROM link_pages WHERE id = ANY(ARRAY(
    SELECT id FROM link_pages WHERE expires_at < now() ORDER BY expires_at LIMIT 500 FOR UPDATE SKIP LOCKED
  )) RETURNING id`;

/** Pages that messages link to. */
export const pageTable = {
  known: (rows: Rows, addresses: string[]) => rows<KnownPage>(known, [addresses]),

  /** The same, and none of them is settled before the transaction ends. */
  lock: (rows: Rows, addresses: string[]) => rows<KnownPage>(lock, [addresses]),

  /** Makes pages wait that are not known. @returns the addresses of those that did not wait already */
  async begin(rows: Rows, addresses: string[]): Promise<string[]> {
    const begun = await rows<{ address: string }>(begin, [addresses.map(() => newId()), addresses]);
    return begun.map(({ address }) => address);
  },

  /** Whether a page is still to be fetched. */
  async isWaiting(rows: Rows, address: string): Promise<boolean> {
    return (await rows<KnownPage>(known, [[address]])).some(({ state }) => state === 'waiting');
  },

  async wait(rows: Rows, pageIds: string[], { messageId, channelId }: Linking): Promise<void> {
    await rows(wait, [pageIds, messageId, channelId]);
  },

  /** Notes what was found, for so many seconds. @returns the messages that waited for it */
  async settle(rows: Rows, address: string, preview: LinkPreview | null, seconds: number): Promise<Linking[]> {
    const found = preview && JSON.stringify(preview);
    const [page] = await rows<{ id: string }>(settle, [address, preview ? 'found' : 'none', found, seconds]);
    return page ? rows<Linking>(endWaits, [page.id]) : [];
  },

  /** Forgets some pages whose time is over. @returns how many */
  forget: async (rows: Rows): Promise<number> => (await rows(forget)).length,
};

/** The server of a channel, unless its messages get no previews; null: the channel is in none. */
export async function previewingServer(rows: Rows, channelId: string): Promise<string | null | undefined> {
  const [place] = await rows<{ serverId: string | null }>(
    `SELECT c.server_id AS "serverId" FROM channels c LEFT JOIN servers s ON s.id = c.server_id
     WHERE c.id = $1 AND coalesce(s.link_previews, true)`,
    [channelId],
  );
  return place?.serverId;
}

/** Replaces the previews of a message, which is no edit. The channel's log must be locked. */
export async function keepPreviews(rows: Rows, message: Linking, previews: KeptPreview[]): Promise<void> {
  await rows(
    'UPDATE messages SET previews = $3::json WHERE channel_id = $2 AND id = $1 AND deleted_at IS NULL RETURNING id',
    [message.messageId, message.channelId, previews.length > 0 ? JSON.stringify(previews) : null],
  );
}
