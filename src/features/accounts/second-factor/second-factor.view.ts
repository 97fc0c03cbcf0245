import type { z } from 'zod';
import type { passkeySchema } from '../../../contract/passkey.ts';
import { isoTime, isoTimeOrNull } from '../../../contract/schema.ts';
import type { secondFactorSchema } from '../../../contract/second-factor.ts';
import type { Passkey, TotpFactor } from '../../../database/entities/second-factor.entity.ts';

export function passkeyRecord({ id, name, createdAt, lastUsedAt }: Passkey): z.input<typeof passkeySchema> {
  return { id, name, createdAt: isoTime(createdAt), lastUsedAt: isoTimeOrNull(lastUsedAt ?? null) };
}

/** @param totp the authenticator app that is in force @param required by the operator */
export function secondFactorRecord(
  totp: TotpFactor | null,
  passkeys: Passkey[],
  recoveryCodes: number,
  required: boolean,
): z.input<typeof secondFactorSchema> {
  const app = totp?.confirmedAt ? { createdAt: isoTime(totp.confirmedAt) } : null;
  return { required, totp: app, passkeys: passkeys.map(passkeyRecord), recoveryCodes };
}
