import type { z } from 'zod';
import { isoTime, isoTimeOrNull } from '../../../contract/schema.ts';
import type { webhookSchema } from '../../../contract/webhook.ts';
import { clock } from '../../../infrastructure/clock.ts';

/** A webhook with the state of its cursors. */
export interface WebhookRow {
  agentId: string;
  url: string;
  state: 'active' | 'dead' | 'gone' | 'paused';
  stoppedAt: Date | string | null;
  previousUntil: Date | string | null;
  pending: number;
  failingSince: Date | string | null;
  lastError: string | null;
  lastErrorAt: Date | string | null;
  lastDeliveredAt: Date | string | null;
  createdAt: Date | string;
  updatedAt: Date | string;
}

/** A room whose next event fails. */
export interface FailingRow {
  kind: 'channel' | 'user';
  streamId: string;
  seq: number;
  attempts: number;
  error: string | null;
  since: Date | string;
  dueAt: Date | string;
}

export type WebhookRecord = z.input<typeof webhookSchema>;

export function webhookRecord(row: WebhookRow, failing: FailingRow[]): WebhookRecord {
  const { previousUntil } = row;
  const holds = previousUntil !== null && new Date(previousUntil).getTime() > clock.now();
  return {
    agentId: row.agentId,
    url: row.url,
    state: row.state === 'active' && row.failingSince !== null ? 'failing' : row.state,
    failingSince: isoTimeOrNull(row.failingSince),
    stoppedAt: isoTimeOrNull(row.stoppedAt),
    lastError: row.lastError,
    lastErrorAt: isoTimeOrNull(row.lastErrorAt),
    lastDeliveredAt: isoTimeOrNull(row.lastDeliveredAt),
    pending: row.pending,
    failing: failing.map(({ kind, streamId, seq, attempts, error, since, dueAt }) => ({
      room: `${kind}:${streamId}`,
      seq,
      attempts,
      error,
      since: isoTime(since),
      nextAttemptAt: isoTime(dueAt),
    })),
    previousSecretUntil: holds ? isoTime(previousUntil) : null,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  };
}
