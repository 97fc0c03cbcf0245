import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { atEnd } from '../rig/ending.ts';
import { until } from '../rig/until.ts';
import type { Person, Place } from '../world/person.ts';

/** A mail server that keeps what it gets. */
export interface MailServer {
  url: string;
  mails: Email[];
  stop(): Promise<void>;
}

/** @param behaviour hooks of the smtp-server package, to make it slow or deny service */
export async function startMailServer(behaviour: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: Email[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        mails.push(await PostalMime.parse(Buffer.concat(chunks)));
        done();
      });
    },
    ...behaviour,
  });
  server.on('error', () => {});
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.');
  const stop = () => new Promise<void>((resolve) => server.close(resolve));
  return { url: `smtp://127.0.0.1:${address.port}`, mails, stop };
}

/** A data folder whose outbox can be read. What everyone gets who registers, or changes how they sign in, is apart. */
export interface MailFolder {
  dataDir: string;
  mails(): Promise<Email[]>;
  /** What was mailed to an address to prove it, the newest last. */
  verifications(address: string): Promise<Email[]>;
  /** What was mailed to an address of sign-ins and credentials, the newest last. */
  notices(address: string): Promise<Email[]>;
}

const isVerification = (mail: Email): boolean => verificationIn(mail) !== '';
export const isNotice = ({ subject = '' }: Email): boolean => /^A new sign-in|^What lets someone in/.test(subject);
const isTo = (mail: Email, address: string): boolean => mail.to?.[0]?.address === address;

export function dataFolder(): MailFolder {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-outbox-'));
  atEnd(() => rm(dataDir, { recursive: true, force: true }));
  const folder = path.join(dataDir, 'outbox');
  const all = async (): Promise<Email[]> => {
    const names = readdirSync(dataDir).includes('outbox') ? readdirSync(folder).sort() : [];
    const whole = names.filter((name) => name.endsWith('.eml'));
    return Promise.all(whole.map((name) => PostalMime.parse(readFileSync(path.join(folder, name)))));
  };
  return {
    dataDir,
    mails: async () => (await all()).filter((mail) => !isVerification(mail) && !isNotice(mail)),
    verifications: async (address) => (await all()).filter((mail) => isVerification(mail) && isTo(mail, address)),
    notices: async (address) => (await all()).filter((mail) => isNotice(mail) && isTo(mail, address)),
  };
}

export const codeIn = (mail: Email): string => /\b\d{6}\b/.exec(mail.text ?? '')?.[0] ?? '';
export const verificationIn = (mail: Email): string => /verify-email\?token=([\w-]+)/.exec(mail.text ?? '')?.[1] ?? '';
export const tokenIn = (mail: Email): string => /reset-password\?token=([\w-]+)/.exec(mail.text ?? '')?.[1] ?? '';

/** The newest mail that proves an address, once there are so many. */
export async function verificationTo(folder: MailFolder, address: string, count = 1): Promise<Email> {
  return until(async () => {
    const mails = await folder.verifications(address);
    return mails.length >= count ? mails.at(-1) : null;
  });
}

/** Someone proves their address, signed in. */
export async function proveAddress<N extends Place>(
  person: Person<N>,
  folder: MailFolder,
  address: string,
): Promise<void> {
  const code = codeIn(await verificationTo(folder, address));
  const { status, body } = await person.post('/api/auth/email-verification/complete', { code });
  if (status !== 200) throw new Error(`not proven: ${JSON.stringify(body)}`);
}
