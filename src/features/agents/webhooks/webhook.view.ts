import type { z } from 'zod';
import { isoTime, isoTimeOrNull } from '../../../contract/schema.ts';
import type { webhookSchema } from '../../../contract/webhook.ts';
import type { Webhook } from '../../../database/entities/agent.entity.ts';
import { clock } from '../../../infrastructure/clock.ts';

/** How far the delivery to a webhook is, in all its rooms. */
export interface ProgressRow {
  pending: number;
  failingSince: Date | string | null;
  lastDeliveredAt: Date | string | null;
  lastError: string | null;
  lastErrorAt: Date | string | null;
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

export function webhookRecord(webhook: Webhook, progress: ProgressRow, failing: FailingRow[]): WebhookRecord {
  const { agentId, url, state, previousUntil } = webhook;
  const holds = previousUntil != null && previousUntil.getTime() > clock.now();
  return {
    agentId,
    url,
    state: state === 'active' && progress.failingSince !== null ? 'failing' : state,
    failingSince: isoTimeOrNull(progress.failingSince),
    stoppedAt: isoTimeOrNull(webhook.stoppedAt),
    lastError: progress.lastError,
    lastErrorAt: isoTimeOrNull(progress.lastErrorAt),
    lastDeliveredAt: isoTimeOrNull(progress.lastDeliveredAt),
    pending: progress.pending,
    failing: failing.map(({ kind, streamId, seq, attempts, error, since, dueAt }) => ({
      room: `${kind}:${streamId}`,
      seq,
      attempts,
      error,
      since: isoTime(since),
      nextAttemptAt: isoTime(dueAt),
    })),
    previousSecretUntil: holds ? isoTime(previousUntil) : null,
    createdAt: isoTime(webhook.createdAt),
    updatedAt: isoTime(webhook.updatedAt),
  };
}
