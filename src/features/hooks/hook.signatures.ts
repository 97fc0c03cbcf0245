import { createHmac } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import { clock } from '../../infrastructure/clock.ts';
import { equalInConstantTime } from '../../infrastructure/constant-time.ts';

type Headers = Readonly<Record<string, string>>;

/** A way to sign: the header that shows it, and what that has to be. */
interface Signature {
  header: string;
  /** Undefined: the post is too old, or lacks what is signed with it. */
  expected(secret: string, body: Buffer, headers: Headers): string | undefined;
}

/** A post that was signed longer ago may be a repeat by someone who has seen it. */
const slackSeconds = 5 * 60;

const hex = (secret: string, ...parts: (string | Buffer)[]): string => {
  const mac = createHmac('sha256', secret);
  for (const part of parts) mac.update(part);
  return mac.digest('hex');
};

const signatures: readonly Signature[] = [
  { header: 'x-hub-signature-256', expected: (secret, body) => `sha256=${hex(secret, body)}` },
  { header: 'x-gitlab-token', expected: (secret) => secret },
  {
    header: 'x-slack-signature',
    expected(secret, body, headers) {
      const time = headers['x-slack-request-timestamp'] ?? '';
      if (!/^\d{1,12}$/.test(time) || Math.abs(clock.now() / 1000 - Number(time)) > slackSeconds) return undefined;
      return `v0=${hex(secret, `v0:${time}:`, body)}`;
    },
  },
  { header: 'x-grafana-alerting-signature', expected: (secret, body) => hex(secret, body) },
];

/** @throws AppError HOOK_SIGNATURE_INVALID where none of the senders' ways shows that this was signed with the secret */
export function requireSigned(secret: string, body: Buffer, headers: Headers): void {
  const isSigned = signatures.some(({ header, expected }) => {
    const given = headers[header];
    const right = given === undefined ? undefined : expected(secret, body, headers);
    return given !== undefined && right !== undefined && equalInConstantTime(given, right);
  });
  if (!isSigned) throw new AppError('HOOK_SIGNATURE_INVALID');
}
