import { maxCaptured, maxCapturedBytes } from '../../contract/rehearsal.ts';
import type { Rows } from '../../database/database.ts';

interface NewCapture {
  id: string;
  rehearsalId: string;
  channelId: string;
  threadId: string | null;
  replyToId: string | null;
  answersTo: number | null;
  content: string;
  onceKey: string | null;
}

type Captured =
  | { outcome: 'captured' | 'repeated'; id: string; content: string }
  | { outcome: 'ended' | 'full'; id: null; content: null };

const hasRoom = `captured < ${maxCaptured} AND captured_bytes + octet_length($7::text) <= ${maxCapturedBytes}`;
/** The row of the rehearsal is locked first, so that of the same message sent twice at once one is kept. */
const capture = `WITH rehearsal AS MATERIALIZED (
    SELECT id, captured, captured_bytes FROM rehearsals WHERE id = $2 AND ends_at > now() FOR NO KEY UPDATE
  ), known AS MATERIALIZED (
    SELECT s.id, s.content FROM rehearsal JOIN rehearsal_sends s ON s.rehearsal_id = rehearsal.id
    WHERE s.channel_id = $3 AND s.once_key = $8::text
  ), sent AS (
    INSERT INTO rehearsal_sends (id, rehearsal_id, channel_id, thread_id, reply_to_id, answers_to, content, once_key)
    SELECT $1::uuid, id, $3::uuid, $4::uuid, $5::uuid, $6::bigint, $7::text, $8::text FROM rehearsal
    WHERE ${hasRoom} AND NOT EXISTS (SELECT FROM known)
    ON CONFLICT DO NOTHING RETURNING id, content
  ), counted AS (
    UPDATE rehearsals SET captured = captured + 1, captured_bytes = captured_bytes + octet_length($7::text)
    WHERE id = $2 AND EXISTS (SELECT FROM sent)
  )
  SELECT 'captured' AS outcome, id, content FROM sent
  UNION ALL SELECT 'repeated', id, content FROM known
  UNION ALL SELECT CASE WHEN ${hasRoom} THEN 'conflict' ELSE 'full' END, NULL, NULL FROM rehearsal
    WHERE NOT EXISTS (SELECT FROM sent) AND NOT EXISTS (SELECT FROM known)`;

/** Keeps what a rehearsing bot sends, once for each key. */
export async function captureSend(rows: Rows, said: NewCapture): Promise<Captured> {
  const { id, rehearsalId, channelId, threadId, replyToId, answersTo, content, onceKey } = said;
  const values = [id, rehearsalId, channelId, threadId, replyToId, answersTo, content, onceKey];
  for (;;) {
    const [row] = await rows<Captured | { outcome: 'conflict' }>(capture, values);
    if (!row) return { outcome: 'ended', id: null, content: null };
    // Its twin was committed after this statement had begun: the next one sees it.
    if (row.outcome !== 'conflict') return row;
  }
}
