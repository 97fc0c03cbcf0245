import { AppError } from '../../contract/errors.ts';
import type { User } from '../../database/entities/user.entity.ts';

/** What the operator has decided about an account. */
export interface Standing {
  suspended: boolean;
  suspensionReason: string | null;
}

export function standingOf({
  suspendedAt,
  suspensionReason,
}: Pick<User, 'suspendedAt' | 'suspensionReason'>): Standing {
  return { suspended: suspendedAt != null, suspensionReason: suspensionReason ?? null };
}

/** @throws AppError ACCOUNT_SUSPENDED, with the reason in the body (contract §2) */
export function requireActive({ suspended, suspensionReason: reason }: Standing): void {
  if (suspended) throw suspension(reason);
}

export function suspension(reason: string | null): AppError {
  const because = reason ? ` The reason: ${reason.replace(/[.\s]+$/, '')}.` : '';
  return new AppError('ACCOUNT_SUSPENDED', {
    message: `This account is suspended.${because} Ask the operator of this server.`,
    extra: { reason },
  });
}
