import { AppError } from '../../contract/errors.ts';
import { isoTimeOrNull } from '../../contract/schema.ts';
import type { User } from '../../database/entities/user.entity.ts';

/** What the operator has decided about an account. */
export interface Standing {
  suspended: boolean;
  suspensionReason: string | null;
  /** When it ends by itself; null: when it is lifted. */
  suspendedUntil: Date | string | null;
}

export function standingOf({
  suspendedAt,
  suspensionReason,
  suspendedUntil,
}: Pick<User, 'suspendedAt' | 'suspensionReason' | 'suspendedUntil'>): Standing {
  const ends = { suspendedUntil: suspendedUntil ?? null };
  return { suspended: suspendedAt != null, suspensionReason: suspensionReason ?? null, ...ends };
}

/** @throws AppError ACCOUNT_SUSPENDED, with the reason and the end in the body (contract §2) */
export function requireActive({ suspended, suspensionReason: reason, suspendedUntil }: Standing): void {
  if (suspended) throw suspension(reason, suspendedUntil);
}

export function suspension(reason: string | null, until: Date | string | null): AppError {
  const because = reason ? ` The reason: ${reason.replace(/[.\s]+$/, '')}.` : '';
  return new AppError('ACCOUNT_SUSPENDED', {
    message: `This account is suspended.${because} Ask the operator of this server.`,
    extra: { reason, until: isoTimeOrNull(until) },
  });
}
